import { expect, test } from "bun:test";
import { type SupervisionFacts, sessionStatus } from "../../../../src/supervisor/hooks/session-status.ts";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger/ledger.ts";
import { stateIn } from "../../../../src/supervisor/record/state.ts";

const OFF = "Supervision is off in this session. To switch it on: /ccc:supervisor on";
const ON = "Supervision is on in this session.";
const NONE: SupervisionFacts = { isOn: false, isDue: false, launch: undefined, limit: 10, state: undefined, stops: [] };

const launch = {
  cwd: "/project",
  claude: "/bin/claude",
  version: null,
  same_model: true,
  reviewer: "glm",
  fallback: [{ reviewer: "kimi:k2", settings: "", same_model: false }],
  environment: { salt: "", plain: {}, hashed: [] },
  instructions: { path: null, text: "" },
  checks: { commands: [], left_out: [] },
} as unknown as NonNullable<SupervisionFacts["launch"]>;

const criterion = (id: string, status: "met" | "unmet") => {
  return { id, text: `${id} holds`, status, evidence: "", unmet_reviews: 0, unmet_files: null };
};
const ledger = { ...EMPTY_LEDGER, criteria: [criterion("C1", "met"), criterion("C2", "unmet")] };
const times = { created_at: "", updated_at: "" };
const state = stateIn(
  JSON.stringify({
    session_id: "s",
    count: 2,
    ...times,
    tokens: 12_345,
    ledger,
    feedback: ["old", "No tests.\nMore."],
  }),
);
const stop = (outcome: string | undefined, why?: string) => ({ at: "", pid: 1, outcome, why });

const ROWS: [string, facts: Partial<SupervisionFacts>, lines: string[]][] = [
  ["off from the start", {}, [OFF]],
  ["just switched on", { isOn: true, launch }, [ON, "Reviewer: glm, else kimi:k2", "No stop was reviewed yet."]],
  [
    "in the middle of the work",
    { isOn: true, launch, state, stops: [stop("rework")] },
    [
      ON,
      "Reviewer: glm, else kimi:k2",
      "Last prompt: review 2 of 10, 1 of 2 met, 12,345 tokens",
      "  not met: C2 C2 holds",
      "Last stop: not done: No tests.",
    ],
  ],
  [
    "due",
    { isOn: true, isDue: true, stops: [stop("done"), stop(undefined)] },
    [ON, "The next stop is reviewed in any case.", "Last stop: done"],
  ],
  [
    "skipped",
    { isOn: true, stops: [stop("skipped", "plan")] },
    [ON, "Last stop: no review: the session is in plan mode"],
  ],
  [
    "failed",
    { isOn: true, stops: [stop("unreviewed", "no quota")] },
    [ON, "Last stop: could not be reviewed: no quota"],
  ],
  ["stuck", { stops: [stop("stalemate")] }, [OFF, "Last stop: NOT done: the last reviews brought no progress"]],
];

for (const [name, facts, lines] of ROWS)
  test(name, () => expect(sessionStatus({ ...NONE, ...facts }).split("\n")).toEqual(lines));

test("one token is in the singular", () => {
  const one = stateIn(JSON.stringify({ session_id: "s", count: 1, ...times, tokens: 1, feedback: [] }));
  expect(sessionStatus({ ...NONE, state: one })).toContain("review 1 of 10, 1 token");
  expect(sessionStatus({ ...NONE, state: one })).not.toContain("1 tokens");
});
