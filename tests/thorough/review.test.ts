import { expect, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Received, Sandbox, Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, credentials, newSandbox, ONE_REVIEW, type Place, provider } from "../harness.ts";
import { readme } from "../readme.ts";
import { newScreen } from "../screen.ts";
import { afterLook, DONE, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const WRITE = (place: Place): Turn => ({
  use: "Write",
  input: { file_path: join(place.project, "add.py"), content: "x" },
});
const UNMET = { id: "C2", text: "it is tested", status: "unmet", evidence: "there is no test" } as const;
const MET = { id: "C1", text: "add.py exists", status: "met", evidence: "git status lists add.py" } as const;

/** Everything that a review must not change: the project, the conversations, and ccc's record of the sessions. */
async function sessions(place: Place): Promise<string> {
  const roots = [place.project, place.at(".claude/projects"), place.at(".claude/ccc/sessions")];
  const lists = await Promise.all(
    roots.map(async (root) => {
      // `git status` refreshes the index.
      const names = (await readdir(root, { recursive: true }).catch(() => [])).filter(
        (name) => !name.startsWith(".git"),
      );
      return Promise.all(
        names.sort().map(async (name) => {
          const file = Bun.file(join(root, name));
          const stat = await file.stat();
          return [name, stat.mtimeMs, stat.isFile() ? await file.text() : ""];
        }),
      );
    }),
  );
  return JSON.stringify(lists);
}

/** An unsupervised session on glm, in a repository with a remote; kimi is another provider. */
async function unsupervised(kimi: Sandbox, reviewer: (request: Received) => Turn): Promise<SupervisedPlace> {
  const place: SupervisedPlace = await supervisedPlace((request, index) => {
    if (request.role === "reviewer") return reviewer(request);
    return index === 0 ? WRITE(place) : { say: "I wrote add.py." };
  });
  const providers = { glm: provider(place.sandbox, "glm-token"), kimi: provider(kimi, "kimi-token") };
  await place.config({ providers, supervisor: ONE_REVIEW });
  await $`git init -q -b main .; git -c user.name=u -c user.email=e commit -q --allow-empty -m first`.cwd(
    place.project,
  );
  await $`git init -q --bare ../remote.git; git remote add origin ../remote.git`.cwd(place.project);
  await place.ccc(["glm", "-p", "write add.py, with a test", "--permission-mode", "acceptEdits"]);
  return place;
}

/** The hook in the documentation, with this ccc. */
async function installHook(place: Place): Promise<void> {
  const { blocks } = await readme("docs/review.md");
  const hook = blocks.find(({ lines }) => lines[0] === "#!/bin/sh")?.lines.join("\n") ?? "";
  expect(hook).toContain("\nccc review\n");
  const path = join(place.project, ".git/hooks/pre-push");
  await place.write(path, `${hook}\n`);
  await chmod(path, 0o755);
  await $`ln -s ${CCC} ${join(place.bin, "ccc")}`;
}

test("an unsupervised session is reviewed, by its own provider or another, and nothing changes", async () => {
  await using kimi = newSandbox((request) => afterLook(DONE, request));
  let answer: Turn = { verdict: { completed: false, feedback: "Write a test.", criteria: [MET, UNMET] } };
  await using place = await unsupervised(kimi, (request) => afterLook(answer, request));
  await installHook(place);
  const before = await sessions(place);
  const env = { ...place.env, CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ID: "another" };

  // Not done: the hook blocks the push.
  const push = await $`git push origin main`.cwd(place.project).env(env).nothrow().quiet();
  expect(push.exitCode).toBe(1);
  expect(push.stderr.toString()).toContain("pre-push: not pushed. To push anyway: git push --no-verify");
  expect(push.stdout.toString()).toContain(
    "NOT done: 1 of 2 met.\n\n✓ C1: add.py exists\n    git status lists add.py\n✗ C2: it is tested\n    there is no test\n\nWhat is missing:\n  Write a test.\n\nReviewed by glm in ",
  );
  expect((await $`git branch --list main`.cwd(join(place.home, "remote.git")).text()).trim()).toBe("");
  const [review = ""] = place.reviews();
  expect(review).toContain("1. write add.py, with a test");
  expect(review).toContain("(not known: no baseline)");

  // A second opinion: only kimi is asked, and it sees only its own key.
  const asked = place.sandbox.received.length;
  const opinion = await place.ccc(["review", "--provider", "kimi", "--json"], { env });
  expect(opinion.exitCode).toBe(0);
  const [transcript = ""] = (await readdir(place.at(".claude/projects"), { recursive: true })).filter((name) =>
    name.endsWith(".jsonl"),
  );
  expect(JSON.parse(opinion.stdout)).toMatchObject({
    session: transcript.replace(/^.*\/(.*)\.jsonl$/, "$1"),
    folder: place.project,
    verdict: "done",
    exit_code: 0,
    feedback: "seen",
    reviewer: "kimi",
    context: "fresh",
    looked: ["Bash: git status"],
    input_tokens: 20,
    output_tokens: 10,
  });
  expect(place.sandbox.received).toHaveLength(asked);
  for (const seen of credentials(kimi)) expect(seen).toEqual({ bearer: "Bearer kimi-token", key: "kimi-token" });
  expect(kimi.received).not.toBeEmpty();
  expect(JSON.stringify([kimi.received, opinion.stderr])).not.toContain("glm-token");
  const generated = (await readdir(place.at(".claude/ccc"))).filter((name) => name.includes("-supervisor+"));
  expect(generated.map((name) => name.split("-")[1]).sort()).toEqual(["glm", "kimi"]);
  for (const name of generated) {
    const file = Bun.file(place.at(".claude/ccc", name));
    expect((await file.stat()).mode & 0o777).toBe(0o600);
    expect(await file.text()).not.toMatch(/(glm|kimi)-token/);
  }

  // Only the user can decide; and a provider that refuses.
  answer = { verdict: { completed: false, needs_user: true, feedback: "Which framework?" } };
  const question = await place.ccc(["review", "--context", "fresh"]);
  expect({ code: question.exitCode, text: question.stdout }).toEqual({
    code: 5,
    text: expect.stringMatching(/^Needs you\.\n\nWhat you have to decide or to do:\n {2}Which framework\?\n/),
  });
  answer = { fail: 401, message: "invalid key" };
  const refused = await place.ccc(["review", "--check", "true"]);
  expect(refused.exitCode).toBe(4);
  expect(refused.stdout).toMatch(
    /^NOT reviewed: the API refused the reviewer's key \(HTTP 401\): invalid key; check it with `ccc validate glm`/,
  );

  // A check that fails: no model is asked.
  const requests = place.sandbox.received.length;
  const failed = await place.ccc(["review", "--check", "true", "--check", "echo no tests; exit 7"]);
  expect(failed.exitCode).toBe(3);
  expect(failed.stdout).toContain("NOT done: a check failed: echo no tests; exit 7 (exit 7).");
  expect(place.sandbox.received).toHaveLength(requests);

  expect(await sessions(place)).toBe(before);
});

test("a supervised session keeps its record: the same criteria, what changed since, and Ctrl-C leaves nothing behind", async () => {
  const reached = Promise.withResolvers<void>();
  let reviews = 0;
  await using place: SupervisedPlace = await supervisedPlace((request, index) => {
    if (request.role === "agent") return index === 0 ? WRITE(place) : { say: "I wrote add.py." };
    const turn = afterLook({ verdict: { completed: true, feedback: "seen", criteria: [MET] } }, request);
    if (!("verdict" in turn) || ++reviews < 3) return turn;
    reached.resolve();
    return { ...turn, after: new Promise(() => {}) };
  });
  await $`git init -q ${place.project}`;
  await place.write(join(place.project, "SUPERVISOR.md"), "Be strict.");
  const args = ["--supervisor", "glm", "-p", "write add.py", "--permission-mode", "acceptEdits"];
  expect((await place.ccc(args)).exitCode).toBe(0);
  await place.write(join(place.project, "SUPERVISOR.md"), "Be kind.");
  const [session = ""] = await readdir(place.at(".claude/ccc/sessions"));
  const before = await sessions(place);

  const result = await place.ccc(["review", session.slice(0, 8), "--json"]);
  expect(result.exitCode).toBe(0);
  const changed = "The reviewer's instructions changed after the session started. This review uses the current ones.";
  expect(JSON.parse(result.stdout)).toMatchObject({ verdict: "done", criteria: [MET], findings: [changed] });
  expect(result.stderr).toContain(`ccc: warning: ${changed}`);
  const message = place.reviews().at(-1) ?? "";
  for (const told of [
    "Be kind.",
    "- C1: add.py exists\\n",
    "The user asked for it.",
    "- added: add.py (+1 -0)",
    "The list is complete",
  ])
    expect(message).toContain(told);

  const child = place.start(["review"]);
  await reached.promise;
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  expect(await child.stdout.text()).toBe("");
  expect(await child.stderr.text()).toContain("ccc: interrupted; nothing was changed");
  const left = await $`ps -eo args`.text();
  expect(left.split("\n").filter((line) => line.includes(place.home))).toEqual([]);
  expect(await sessions(place)).toBe(before);
});

test("after /context, a command for the shell and /exit, ccc review has nothing to warn about, nor has its reviewer", async () => {
  await using place = await supervisedPlace((request) =>
    request.role === "reviewer" ? afterLook(DONE, request) : { say: `ANSWER ${place.turns().length}` },
  );
  await $`git init -q -b main .; git -c user.name=u -c user.email=e commit -q --allow-empty -m first`.cwd(
    place.project,
  );
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
  await screen.shows("❯");
  await screen.submit("say something");
  await screen.shows("Review 1 of 10: done");
  await screen.submit("/context");
  await screen.shows("Context Usage");
  // Claude Code shows it with its own sign, and passes on what it prints.
  screen.type("!");
  await screen.shows(/^! /m);
  screen.type("echo printed-$((6 * 7))\r");
  await screen.shows("printed-42");
  await screen.shows("ANSWER 2");
  await screen.shows(/❯\s*\n─/);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);

  const { stdout } = await place.ccc(["review", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: "done", findings: [] });
  expect(place.reviews().at(-1)).not.toMatch(/did not end by itself|continued without supervision/);
});
