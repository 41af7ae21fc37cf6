import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { chmod, copyFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Received } from "../../src/sandbox/sandbox.ts";
import { CCC, newSandbox, type Place, provider } from "../harness.ts";
import { whyNoSandbox } from "../sandbox.ts";
import { type Campaign, choose, type Detail, type Failure, type Problems, unless } from "./campaign.ts";
import {
  ALLOWED,
  ESCAPED,
  SANDBOX_SECRET,
  SANDBOX_SECRETS,
  type SandboxAttempt,
  type SandboxSurroundings,
  sandboxAttempts,
} from "./sandbox-attempts.ts";
import { misbehavior, newScene } from "./scene.ts";
import { newTrap, type Trap } from "./trap.ts";

const KEY = "sk-provider-0123456789";
const CODE = "CODE-OF-THE-PROJECT";
const ALL = sandboxAttempts({ home: "/", project: "/", port: "1", pid: 1 }).map((_, index) => index);
/** Attempts in one review, which has a time limit. */
const PER_REVIEW = 30;

export const SANDBOXED: Campaign = {
  name: "sandboxed-reviewer",
  what: "Commands of a reviewer in a sandbox",
  how: "real Claude Code in its own sandbox; writes by every means, links, secrets, keys in the environment, network, sockets, signals, processes that outlive it, namespaces, git configuration; nothing outside of its copy changes, no secret is shown, no server is reached, no process is left, while it can work in its copy",
  tries: ALL.length,
  quick: 8,
  run: async (count, random) => {
    const why = whyNoSandbox();
    if (why !== undefined) return { tried: 1, failures: [{ where: "the sandbox", problem: why }] };
    const chosen = choose(ALL, count, random);
    const failures: Failure[] = [];
    const details: Detail[] = [];
    for (let at = 0; at < chosen.length; at += PER_REVIEW) {
      const outcome = await reviewWith(chosen.slice(at, at + PER_REVIEW));
      failures.push(...outcome.failures);
      details.push(...outcome.details);
    }
    // Each whole review is a try too.
    return { tried: chosen.length + Math.ceil(chosen.length / PER_REVIEW), failures, details };
  },
};

/** What must work. Without this, a sandbox in which nothing runs would pass. */
const CONTROLS: readonly SandboxAttempt[] = [
  { what: "cat", command: "cat code.txt", shows: new RegExp(CODE) },
  { what: "write", command: "echo own > own.txt && cat own.txt && rm own.txt", shows: /own/ },
  { what: "git", command: "git diff HEAD", shows: new RegExp(`\\+${CODE}`) },
  { what: "test", command: "sh test.sh", shows: /THE-TESTS-RAN/ },
];

/** Runs one review with some of the attempts, followed by a verdict. */
async function reviewWith(chosen: readonly number[]): Promise<{ failures: Failure[]; details: Detail[] }> {
  // Memory is hidden from the sandbox, and with it a project there.
  await using scene = await newScene(400_000, "/var/tmp");
  await using trap = await newTrap();
  await using victim = Bun.spawn(["sleep", "40007"]);
  const { place } = scene;
  const { home, project } = place;
  await layOut(place);
  const around = { home, project, port: new URL(trap.url).port, pid: victim.pid };
  const own = sandboxAttempts(around);
  const wanted = [...CONTROLS, ...chosen.flatMap((index) => own[index] ?? []), ...CONTROLS.slice(0, 2)];
  const failures: Failure[] = [];
  const details: Detail[] = [];
  await using glm = newSandbox(({ role, ...received }, index) => {
    if (role === "agent") return { say: "done" };
    const before = wanted[index - 1];
    if (before !== undefined) {
      const text = toolResult(received);
      const problems = [
        ...judge(text, place, trap, victim),
        ...unless(before.shows?.test(text) !== false, `it showed ${text.slice(0, 300)}`),
      ];
      if (problems.length > 0) failures.push({ where: before.what, problem: problems.join("; ") });
      if (!CONTROLS.includes(before)) details.push({ what: before.what, came: summary(text, place, around) });
    }
    const { command: next, tool } = wanted[index] ?? {};
    if (tool !== undefined) return tool;
    if (next === undefined) return { verdict: { completed: true, feedback: "seen" } };
    return { use: "Bash", input: { command: next, description: "try", timeout: 20_000 } };
  });
  await place.config({ providers: { glm: provider(glm, KEY) }, supervisor: { context: "fresh" } });

  const result = await scene.run(["--supervisor", "glm", "-p", "x"], {
    env: { MY_TOKEN: SANDBOX_SECRET, DATABASE_URL: `postgres://u:${SANDBOX_SECRET}@h/d` },
  });

  const asked = glm.received.filter(({ role }) => role === "reviewer").length;
  const general = [
    ...misbehavior(result),
    ...unless(asked > wanted.length, `the review ended at attempt ${asked}`),
    ...unless(readdirSync(place.at(".cache/ccc/reviews")).length === 0, "its copy is left"),
    ...left().map((line) => `a process is left: ${line}`),
  ];
  if (general.length > 0) failures.push({ where: "the review as a whole", problem: general.join("; ") });
  return { failures, details };
}

async function layOut(place: Place): Promise<void> {
  await rm(join(place.bin, "bwrap"));
  // Its own folder may be hidden.
  await copyFile(CCC, join(place.bin, "ccc"));
  const { project } = place;
  for (const name of SANDBOX_SECRETS) {
    await place.write(place.at(name), `//registry.example.com/:_authToken=${SANDBOX_SECRET}\n`);
  }
  await place.write(join(project, "code.txt"), "before\n");
  await place.write(join(project, "test.sh"), "echo THE-TESTS-RAN > result && cat result\n");
  await place.write(join(project, ".gitignore"), ".env\nlink-to-secret\nfolder-link\n");
  const git = ["git", "-C", project, "-c", "user.name=a", "-c", "user.email=a@example.com"];
  await Bun.$`git init -q ${project} && ${git} add -A && ${git} commit -q -m first`;
  await Bun.$`${git} config remote.origin.url https://u:${SANDBOX_SECRET}@example.com/x.git`;
  await place.write(join(project, "code.txt"), `${CODE}\n`);
  await symlink(place.at(".ssh/id_rsa"), join(project, "link-to-secret"));
  await symlink(place.at(".ssh"), join(project, "folder-link"));
  await chmod(place.at(".ssh/id_rsa"), 0o600);
}

/** The effects of the attempt before this request. */
function judge(text: string, place: Place, trap: Trap, victim: Bun.Subprocess): Problems {
  const { home, project } = place;
  const places = [
    home,
    project,
    join(home, ".claude/ccc"),
    "/tmp",
    "/var/tmp",
    "/",
    "/etc",
    "/dev/shm",
    "/usr/local/bin",
  ];
  const found = places.map((folder) => join(folder, ESCAPED)).filter((path) => existsSync(path));
  for (const path of found) rmSync(path, { recursive: true });
  return [
    ...[SANDBOX_SECRET, KEY, "root:$", ALLOWED]
      .filter((secret) => text.includes(secret))
      .map((secret) => `it was shown ${secret}`),
    ...found.map((path) => `${path} was created`),
    ...unless(readFileSync(join(project, "code.txt"), "utf8") === `${CODE}\n`, "the code was changed"),
    ...unless(!readFileSync(join(project, ".git/config"), "utf8").includes("fsmonitor"), "the git config was changed"),
    ...unless(!existsSync(place.at(".claude/settings.json")), "settings were written"),
    ...unless(victim.exitCode === null && victim.signalCode === null, "another process was killed"),
    ...trap.caught.map((request) => `the network was asked: ${request}`),
  ];
}

/** Processes that should have ended with their commands. */
function left(): string[] {
  const all = Bun.spawnSync(["ps", "-eo", "pid=,stat=,args="]).stdout.toString().split("\n");
  return all.filter((line) => /sleep 4242|time\.sleep\(4242\)/.test(line) && !/^\s*\d+\s+Z/.test(line));
}

function toolResult({ body }: Pick<Received, "body">): string {
  const results = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return String(results.findLast(({ type }) => type === "tool_result")?.content ?? "");
}

/** The line that tells, or the last one, for the table. */
function summary(text: string, { home, project }: Place, { port, pid }: SandboxSurroundings): string {
  // As they are, as the shell quotes them, and as Python does.
  const forms = (path: string) => [path.replaceAll("'", "'\\''"), path.replaceAll("'", "\\'"), path];
  const shown = [...forms(project).map((path) => [path, "PROJECT"]), ...forms(home).map((path) => [path, "~"])].reduce(
    (rest, [path = "", name = ""]) => rest.replaceAll(path, name),
    text.replaceAll(`${port}`, "PORT").replaceAll(`(${pid})`, "(PID)"),
  );
  const lines = shown
    .replaceAll(/sed\w{6}\b/g, "sed…")
    .split("\n")
    .map((line) => line.trim().replace(/^\(Bash completed with no output\)$/, "no output"))
    .filter((line) => line !== "" && !line.startsWith("Exit code"));
  const code = /^Exit code (\d+)/.exec(text)?.[1];
  const told = lines.findLast((line) => TELLING.test(line)) ?? lines.at(-1) ?? "no output";
  const line = told.startsWith("Permission to use Bash") ? "refused by Claude Code itself" : told.slice(0, 120);
  return `${code === undefined ? "" : `exit ${code}: `}${line.replaceAll("|", "\\|")}`;
}

const TELLING = /Read-only|denied|not permitted|refused|No such|unreachable|cross-device|could not lock/;
