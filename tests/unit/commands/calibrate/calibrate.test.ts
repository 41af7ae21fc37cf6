import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";

const server = (key: string) => ({ env: { ANTHROPIC_BASE_URL: "https://example.com", ANTHROPIC_AUTH_TOKEN: key } });
const CONFIG = { providers: { glm: server("key-of-glm"), kimi: server("key-of-kimi"), login: {} } };
const FOLDER = "/home/u/.claude/ccc/calibration";

async function ccc(args: readonly string[], parts: { config?: object; content?: Record<string, string> } = {}) {
  const content = {
    ...{ "/home/u/.claude/ccc.json": JSON.stringify({ ...CONFIG, ...parts.config }), "/bin/claude": "program" },
    ...{ "/bin/bun": "program", ...parts.content },
  };
  const { world, said, files } = fakeWorld({
    ...{ argv: ["calibrate", ...args], content },
    run: async (request) => {
      expect(request.program.args).toEqual(["--version"]);
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
  });
  return { exitCode: await run(world), ...said, runs: files.list(FOLDER) };
}

const kept = (run = scriptedRun(scriptedPlan({ reviewers: ["glm"] }), { glm: REVIEWERS.yes })) =>
  [{ plan: run.plan }, ...run.reviews.map((review) => ({ review }))].map((each) => JSON.stringify(each)).join("\n");

describe("a command line that is refused before any request", () => {
  const SUPERVISOR = { "/project/SUPERVISOR.md": "Be strict." };
  const pinned = { folders: { "/project": { provider: "glm", only: true } } };
  const faults: [args: string[], says: string, parts?: Parameters<typeof ccc>[1]][] = [
    [["--cases", "stub"], "not a terminal: pass --yes to start without a question"],
    [["--provider", "kimmi"], 'unknown provider "kimmi": did you mean "kimi"?'],
    [["--cases", "stubb"], 'no case and no folder is named "stubb": did you mean "stub"?'],
    [["--jobs", "0"], "--jobs takes a whole number from 1 to 16"],
    [["--repeat", "x"], "--repeat takes a whole number from 1 to 20"],
    [
      ["--provider", "login", "--context", "session"],
      "login uses your Claude login, which works only with --context fresh",
    ],
    [["--last", "--resume"], "--last cannot be combined with --resume"],
    [["--last", "--yes"], "--yes cannot be combined with --last, which makes no requests"],
    [["--resume", "--repeat", "2"], "--repeat cannot be combined with --resume, which has its own"],
    [["--resume", "--yes"], "there is no unfinished run to resume"],
    [["--html", ""], "--html needs the name of a file"],
    [
      ["--provider", "kimi", "--yes"],
      "/project is pinned to glm only: kimi must not see its files",
      { config: pinned, content: SUPERVISOR },
    ],
    [["--provider", "kimi"], "not a terminal", { config: pinned }],
    [["--provider", "kimi", "--anyway"], "not a terminal", { config: pinned, content: SUPERVISOR }],
  ];
  test.each(faults)("%j: %s", async (args, says, parts) => {
    const { exitCode, stdout, stderr, runs } = await ccc(args, parts);
    expect({ exitCode, stdout, runs }).toEqual({ exitCode: 2, stdout: "", runs: [] });
    expect(stderr).toContain(`ccc: ${says}`);
  });
});

test("before it starts it says how many reviews, by whom, and what is left out", async () => {
  const { stderr } = await ccc([
    "--provider",
    "glm",
    "--provider",
    "kimi:k2",
    "--cases",
    "stub,red-tests",
    "--repeat",
    "3",
  ]);
  expect(stderr).toStartWith(`ccc: 2 cases, each 3 times, reviewed by glm, kimi:k2
ccc: left out: 2 cases, because there is no python3 here
ccc: 12 reviews, about 72 requests: roughly 1M tokens, most of them input. The agents of the cases are scripted and cost nothing
`);
});

test("a run cannot be resumed after a case or the instructions changed", async () => {
  const plan = scriptedPlan({ reviewers: ["glm"] });
  const changed = { ...plan, cases: plan.cases.map((each) => ({ ...each, hash: "another" })) };
  const content = {
    [`${FOLDER}/1.jsonl`]: kept({ ...scriptedRun(changed, {}) }),
    "/project/SUPERVISOR.md": "Be strict.",
  };
  const result = await ccc(["--resume", "--yes"], { content });
  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("has changed since that run was started"),
  });
  const other = await ccc(["--resume", "--yes"], { content: { ...content, "/project/SUPERVISOR.md": "Be kind." } });
  expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("instructions are not those of") });
});

test("--last shows the last run that has a review, beside the one before", async () => {
  const later = scriptedRun(scriptedPlan({ reviewers: ["glm"], started_at: "2026-11-18T02:00:00Z" }), {
    glm: REVIEWERS.perfect,
  });
  const empty = { ...later, reviews: [] };
  const content = {
    [`${FOLDER}/1.jsonl`]: kept(),
    [`${FOLDER}/2.jsonl`]: kept(later),
    [`${FOLDER}/3.jsonl`]: kept(empty),
  };
  const { exitCode, stdout, stderr } = await ccc(["--last"], { content });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith("Calibration of 2026-11-18 02:00 UTC: 48 cases.");
  expect(stdout).toMatch(/^Right verdicts +24 of 48 +48 of 48$/m);
  const none = await ccc(["--last"]);
  expect(none).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: "ccc: no run is on record\nStart one: ccc calibrate\n",
  });
});
