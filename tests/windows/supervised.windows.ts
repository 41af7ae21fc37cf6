import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn } from "../in-turn.ts";
import { windowsPlace } from "./windows-place.ts";
import { CLAUDE_EXE, windowsPath } from "./windows-programs.ts";

const DONE: Turn = { verdict: { completed: true, feedback: "seen" } };
const notDone = (feedback: string): Turn => ({ verdict: { completed: false, feedback } });

const twoReviews = () =>
  inTurn({ agent: [{ say: "first" }, { say: "second" }], reviewer: [notDone("FEEDBACK-ONE"), DONE] });

test("HOOK-01 the hook: every stop is reviewed, and the feedback reaches the agent", async () => {
  await using place = await windowsPlace(twoReviews());

  const result = await place.ccc(["--supervisor", "glm", "-p", "ORIGINAL-REQUEST"]);

  expect(result).toMatchObject({ exitCode: 0, stdout: "second\n" });
  expect(result.stderr).toContain("Supervisor mode enabled: glm");
  const { received } = place.sandbox;
  expect(received.map(({ role }) => role)).toEqual(["agent", "reviewer", "agent", "reviewer"]);
  expect(JSON.stringify(received[2]?.body.messages)).toContain("FEEDBACK-ONE");
  expect(JSON.stringify(received[1]?.body.messages)).toContain("1. ORIGINAL-REQUEST");
  const state = place.at("my project/.claude/ccc");
  const name = readdirSync(state).find((each) => /^supervisor-.*\.json$/.test(each)) ?? "";
  expect(JSON.parse(readFileSync(`${state}/${name}`, "utf8"))).toMatchObject({ count: 2, feedback: ["FEEDBACK-ONE"] });
});

test("the reviewer may read the project, and is refused everything else", async () => {
  const reads = (path: string) => ({ use: "Read", input: { file_path: path } });
  let paths: string[] = [];
  await using place = await windowsPlace(({ role }, index) => {
    if (role !== "reviewer") return { say: "work" };
    return index < paths.length ? reads(paths[index] ?? "") : DONE;
  });
  await place.write(place.at("my project/seen.txt"), "CONTENT-OF-THE-PROJECT");
  await place.write(place.at(".ssh/id"), "CONTENT-OF-A-SECRET");
  await place.write(place.at("other project/notes.txt"), "CONTENT-OF-A-SECRET");
  paths = ["my project/seen.txt", ".ssh/id", "other project/notes.txt"].map((path) => place.windowsAt(path));

  expect(await place.ccc(["--supervisor", "glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });

  const seen = JSON.stringify(place.sandbox.received.map(({ body }) => body.messages));
  expect(seen).toContain("CONTENT-OF-THE-PROJECT");
  expect(seen).not.toContain("CONTENT-OF-A-SECRET");
  expect(seen).toContain("not part of the project");
});

test("the loop engine: agent and reviewer in turn, and a report at the end", async () => {
  await using place = await windowsPlace(twoReviews());

  const result = await place.ccc(["--engine", "loop", "glm", "ORIGINAL-REQUEST"]);

  expect(result).toMatchObject({ exitCode: 0 });
  const { received } = place.sandbox;
  expect(received.map(({ role }) => role)).toEqual(["agent", "reviewer", "agent", "reviewer"]);
  expect(JSON.stringify(received[2]?.body.messages)).toContain("FEEDBACK-ONE");
});

test("ccc use --supervisor: plain claude is reviewed, a launch with ccc only once, and a reset restores settings.json", async () => {
  await using place = await windowsPlace(twoReviews());
  const settings = place.at(".claude/settings.json");
  await place.write(settings, '{ "theme": "dark" }\n');

  expect(await place.ccc(["use", "--supervisor", "glm"])).toMatchObject({ exitCode: 0 });
  const plain = await place.ccc(["-p", "ORIGINAL-REQUEST"], { program: windowsPath(CLAUDE_EXE) });

  expect(plain).toMatchObject({ exitCode: 0, stdout: "second\n" });
  const roles = () => place.sandbox.received.map(({ role }) => role);
  expect(roles()).toEqual(["agent", "reviewer", "agent", "reviewer"]);

  expect(await place.ccc(["--supervisor", "glm", "-p", "again"])).toMatchObject({ exitCode: 0 });
  expect(roles().slice(4)).toEqual(["agent", "reviewer"]);

  expect(await place.ccc(["use", "--reset"])).toMatchObject({ exitCode: 0 });
  expect(readFileSync(settings, "utf8")).toBe('{ "theme": "dark" }\n');
});
