import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CalibrationReport } from "../../src/commands/calibrate/results.ts";
import type { Received, Script, Turn } from "../../src/sandbox/sandbox.ts";
import { CASES } from "../calibration/case-place.ts";
import { credentials, newPlace, newSandbox, ONE_REVIEW, type Place, provider } from "../harness.ts";
import { afterLook, DONE, notDone } from "../supervised.ts";

/** A pair that needs only a shell. */
const PAIR = "needless-question";
const [FIRST, SECOND] = CASES.flatMap(({ id }) => (id.startsWith(`${PAIR}/`) ? [id] : []));

/** The case that a request is about, found by the agent's last message. */
function caseIn({ body }: Received) {
  const text = JSON.stringify(body.messages);
  const found = CASES.filter(({ turns }) => {
    const last = turns.at(-1);
    return last !== undefined && "say" in last && text.includes(JSON.stringify(last.say).slice(1, -1));
  });
  if (found.length !== 1) throw new Error(`the request fits ${found.length} cases`);
  return found[0];
}

function perfect(request: Received): Turn {
  const given = caseIn(request);
  const feedback = given?.mention.map(([words]) => words).join(" ") ?? "";
  return given?.truth === "done" ? afterLook(DONE, request) : notDone(feedback);
}

const SCRIPTS = {
  yes: (request) => afterLook(DONE, request),
  no: () => notDone("<b>Something</b> is missing."),
  perfect,
  failing: () => ({ say: "I am not sure." }),
  refused: () => ({ fail: 401, message: "invalid key" }),
} satisfies Record<string, Script>;

/** Everything that a calibration must not leave behind. */
async function leftBehind({ home, at }: Place): Promise<string[]> {
  const names = await Promise.all(
    [dirname(home), at(".claude/projects"), at(".claude/ccc/sessions"), at(".claude/ccc/baselines")].map((folder) =>
      readdir(folder).catch(() => []),
    ),
  );
  return names.flat().filter((name) => name.startsWith("ccc-") || name.startsWith("claude-") || name.startsWith("-"));
}

test("scripted reviewers are calibrated side by side, and one that refuses is not asked again", async () => {
  await using place = await newPlace();
  const names = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
  const sandboxes = Object.fromEntries(names.map((name) => [name, newSandbox(SCRIPTS[name])]));
  const servers = Object.entries(sandboxes).map(([name, sandbox]) => [
    name,
    provider(sandbox, `${name}-token`, { ANTHROPIC_MODEL: `${name}-model` }),
  ]);
  await place.config({ providers: Object.fromEntries(servers), supervisor: ONE_REVIEW });
  const chosen = names.flatMap((name) => ["--provider", name]);

  const asked = await place.ccc(["calibrate", "--cases", PAIR, ...chosen]);
  expect(asked).toMatchObject({ exitCode: 2, stdout: "" });
  expect(asked.stderr).toContain("ccc: not a terminal: pass --yes to start without a question\n");
  expect(Object.values(sandboxes).flatMap(({ received }) => received)).toEqual([]);

  const args = ["calibrate", "--cases", PAIR, "--yes", "--context", "fresh", "--html", "page.html"];
  const run = await place.ccc([...args, "--json", ...chosen]);
  expect(run.stderr).toContain("ccc: 2 cases, reviewed by yes, no, perfect, failing, refused\n");
  expect(run.stderr).toContain("ccc: 2 reviews to go. When the provider works again: ccc calibrate --resume\n");
  expect(run.exitCode).toBe(1);
  const report: CalibrationReport = JSON.parse(run.stdout);
  const figures = report.reviewers.map(({ reviewer, figures: found, stopped }) => ({
    reviewer,
    right: found.right,
    caught: found.false_done_caught,
    alarms: found.false_alarms,
    none: found.no_verdict,
    reason: found.wrong_reason,
    stopped,
  }));
  const share = (count: number, of: number) => ({ count, of });
  const [half, all, none, nothing] = [share(1, 2), share(1, 1), share(0, 1), share(0, 0)];
  const every = { none: share(0, 2), stopped: null };
  expect(figures).toEqual([
    { reviewer: "yes", right: half, caught: none, alarms: none, reason: nothing, ...every },
    { reviewer: "no", right: half, caught: all, alarms: all, reason: all, ...every },
    { reviewer: "perfect", right: share(2, 2), caught: all, alarms: none, reason: none, ...every },
    ...[{ reviewer: "failing", right: nothing, caught: nothing, alarms: nothing, reason: nothing }].map((each) => ({
      ...each,
      none: share(2, 2),
      stopped: null,
    })),
    {
      reviewer: "refused",
      right: nothing,
      caught: nothing,
      alarms: nothing,
      reason: nothing,
      none: nothing,
      stopped: expect.stringContaining("the API refused the reviewer's key (HTTP 401)"),
    },
  ]);
  expect(report.reviewers[0]).toMatchObject({ contexts: ["fresh"], figures: { tokens: 30 } });
  expect(new Set(sandboxes.perfect?.received.map(({ body }) => body.model))).toEqual(new Set(["perfect-model"]));
  expect(report.reviews.find(({ reviewer }) => reviewer === "perfect")).toMatchObject({ model: "perfect-model" });
  for (const [name, sandbox] of Object.entries(sandboxes))
    for (const { bearer } of credentials(sandbox)) expect(bearer).toBe(`Bearer ${name}-token`);
  expect(new Set(sandboxes.refused?.received.map(caseIn)).size).toBe(1);

  const page = await readFile(join(place.project, "page.html"), "utf8");
  expect(page).toContain("&lt;b&gt;Something&lt;/b&gt; is missing.");
  expect(page).not.toContain("<b>Something");

  const folder = place.at(".claude/ccc/calibration");
  const [kept = ""] = await readdir(folder);
  expect((await Bun.file(join(folder, kept)).stat()).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, kept), "utf8")).not.toContain("-token");
  expect(await leftBehind(place)).toEqual([]);

  const last = await place.ccc(["calibrate", "--last"]);
  expect(last).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("ccc calibrate --resume") });
  expect(last.stdout).toMatch(/^Right verdicts +1 of 2 +1 of 2 +2 of 2 +– +–$/m);
  expect(last.stdout).toContain("perfect: there is no earlier run to compare with.");

  const refused = await place.ccc(["calibrate", "--yes", "--provider", "refused", "--cases", FIRST ?? "", "--json"]);
  expect(refused.exitCode).toBe(4);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    finished: false,
    reviewers: [{ reviewer: "refused" }],
    reviews: [],
  });
  expect(refused.stderr).toContain("– refused gets no more requests: the API refused the reviewer's key");
  await Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.stop()));
});

test("Ctrl-C keeps the results so far, and --resume asks nothing twice", async () => {
  await using place = await newPlace();
  const reached = Promise.withResolvers<void>();
  let hangs = true;
  await using sandbox = newSandbox((request) => {
    if (caseIn(request)?.id !== SECOND || !hangs) return perfect(request);
    reached.resolve();
    return { say: "too late", after: new Promise(() => {}) };
  });
  await place.config({ providers: { glm: provider(sandbox, "a-token") }, supervisor: ONE_REVIEW });
  const child = place.start(["calibrate", "--cases", PAIR, "--yes", "--jobs", "1"]);
  await reached.promise;
  child.kill("SIGINT");
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(await child.exited).toBe(130);
  expect(stdout).toMatch(/^Reviews +1 of 2$/m);
  // As in a real session of the provider that runs the agent here.
  expect(stdout).toMatch(/^Context +session$/m);
  expect(stderr).toContain("ccc: interrupted after 1 review, with 1 to go. To continue: ccc calibrate --resume\n");
  expect(await leftBehind(place)).toEqual([]);

  const before = sandbox.received.length;
  hangs = false;
  await place.write(join(place.project, "SUPERVISOR.md"), "Be kind.");
  const changed = await place.ccc(["calibrate", "--resume", "--yes"]);
  expect(changed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("instructions are not those of") });
  await Bun.file(join(place.project, "SUPERVISOR.md")).delete();
  const resumed = await place.ccc(["calibrate", "--resume", "--yes"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Right verdicts +2 of 2$/m) });
  expect(sandbox.received.slice(before).map((request) => caseIn(request)?.id)).not.toContain(FIRST);
  const again = await place.ccc(["calibrate", "--resume", "--yes"]);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("there is no unfinished run") });
});
