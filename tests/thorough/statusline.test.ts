import { expect, test } from "bun:test";
import { mkdir, readFile, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { CCC, newPlace } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { afterLook, supervisedPlace } from "../supervised.ts";

const EVENT = { session_id: "s", model: { id: "glm-5" }, context_window: { used_percentage: 42 } };

test("the status line is one line without errors, whatever is on stdin and in the record", async () => {
  await using place = await newPlace();
  const session = place.at(".claude/ccc/sessions/s");
  const line = async (stdin: string | Uint8Array, args: readonly string[] = ["--provider", "glm"], env = {}) => {
    const options = { stdin, env: { NO_COLOR: "1", ...env } };
    const { exitCode, stdout, stderr } = await place.ccc(["statusline", ...args], options);
    expect({ exitCode, stderr, lines: stdout.split("\n").length }).toEqual({ exitCode: 0, stderr: "", lines: 2 });
    return stdout.trimEnd();
  };
  const event = JSON.stringify(EVENT);
  for (const odd of ["", "{", "[]", '{"session_id":"../s"}', new Uint8Array([0xff, 0, 0xfe])])
    expect(await line(odd)).toBe("glm · supervisor off");
  expect(await line(event, ["--unknown", "--provider"])).toBe("glm-5 · context 42% · supervisor off");
  expect(await line(event, [], { HOME: "", CCC_CONFIG_DIR: "/dev/null" })).toContain("supervisor off");

  const inFolder = JSON.stringify({ ...EVENT, workspace: { project_dir: "/client/src" } });
  for (const [pin, begin] of [
    ["glm", "glm · pinned · glm-5"],
    [{ provider: "glm", only: true }, "glm · pinned · glm-5"],
    ["kimi", "glm · glm-5"],
    [[null], "glm · glm-5"],
  ] as const) {
    await place.config({ folders: { "/client": pin } });
    expect(await line(inFolder)).toStartWith(begin);
  }

  await place.write(`${session}/launch.json`, { provider: "kimi" });
  expect(await line(event, [])).toBe("kimi · glm-5 · context 42% · supervisor on");
  const other = await newPlace();
  expect(await line(event, ["--config-dir", place.at(".claude")], { HOME: other.home })).toContain("supervisor on");
  await other[Symbol.asyncDispose]();

  const running = {
    pid: process.pid,
    round: 2,
    limit: 10,
    doing: "Bash npm test",
    since: Date.now() - 7_220_000,
    ends_by: Date.now() + 1e6,
  };
  await place.write(`${session}/now.json`, running);
  expect(await line(event)).toBe("glm · glm-5 · context 42% · reviewing 2/10 · npm test · 2h");
  expect(await line(event, ["--provider=glm"], { COLUMNS: "40", NO_COLOR: "" })).toBe(
    "\u001b[1mglm\u001b[0m · \u001b[36mreviewing 2/10 · npm test · 2h\u001b[0m",
  );
  const { pid: dead } = await place.ccc(["statusline"]);
  await place.write(`${session}/now.json`, { ...running, pid: dead });
  expect(await line(event)).toEndWith("· not reviewed");
  await place.write(`${session}/now.json`, { outcome: "done", met: 5, of: 5 });
  expect(await line(event)).toEndWith("· done 5 of 5");
  await place.write(`${session}/prompts.jsonl`, "{}\n");
  await utimes(`${session}/prompts.jsonl`, new Date(), new Date(Date.now() + 5_000));
  expect(await line(event)).toEndWith("· supervisor on");

  await place.write(`${session}/switch.json`, { is_on: false });
  expect(await line(event, ["--supervisor"])).toEndWith("· supervisor off");
  await place.write(`${session}/switch.json`, { is_on: true });
  expect(await line(event, ["--no-supervisor"])).toEndWith("· supervisor on");
  await place.write(`${session}/switch.json`, "{");
  expect(await line(event, ["--no-supervisor"])).toEndWith("· supervisor off");

  const five = { kind: "window", name: "5h", hours: 5, used_percent: 37, resets_at: null };
  const asked = (ago: number) => ({ asked_at: new Date(Date.now() - ago).toISOString(), figures: [five] });
  await place.write(place.at(".claude/ccc/usage/glm.json"), asked(12 * 60_000));
  expect(await line(event)).toContain("· context 42% · 5h 37% (12m ago) · supervisor");
  expect(await line(event, ["--provider", "../usage/glm"])).not.toContain("5h");
  await place.write(place.at(".claude/ccc/usage/glm.json"), asked(6 * 3_600_000));
  expect(await line(event)).not.toContain("5h");

  for (const broken of ["", "{", '{"outcome":7}']) {
    await place.write(`${session}/now.json`, broken);
    expect(await line(event)).toEndWith("· supervisor on");
  }
  await mkdir(place.at(".claude/ccc/sessions/folder/now.json"), { recursive: true });
  expect(await line(JSON.stringify({ ...EVENT, session_id: "folder" }))).toContain("glm-5");
});

test("help is shown on request, and to a user who types the command", async () => {
  await using place = await newPlace();
  const help = await place.ccc(["statusline", "--help"]);
  expect(help.stdout).toContain("ccc statusline [--provider NAME]");
  let shown = "";
  const child = Bun.spawn([CCC, "statusline"], {
    env: place.env,
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, data) => {
        shown += new TextDecoder().decode(data);
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  expect(shown).toContain("ccc statusline [--provider NAME]");
});

test("in a supervised session the status line shows what the review is doing, and then the verdict", async () => {
  const seen = Promise.withResolvers<void>();
  const met = { id: "", text: "it is written", status: "met" as const, evidence: "git status" };
  await using place = await supervisedPlace((received) => {
    if (received.role !== "reviewer") return { say: "WRITTEN" };
    return {
      ...afterLook({ verdict: { completed: true, feedback: "", criteria: [met] } }, received),
      after: gate(received),
    };
  });
  const gate = ({ body }: { body: { messages: readonly unknown[] } }) =>
    JSON.stringify(body.messages.at(-1)).includes("tool_result") ? seen.promise : Promise.resolve();
  await Bun.$`git init -q ${place.project}`;
  const launch = [
    CCC,
    "--supervisor",
    "--check",
    "until [ -e go ]; do sleep 0.1; done",
    "glm",
    "--model",
    "some-model",
  ];
  await using screen = newScreen(launch, { cwd: place.project, env: place.env });
  await screen.shows(/glm · some-model .*· supervisor on/);
  await screen.submit("write it");
  await screen.shows("reviewing 1/10 · check until [ -e go ]; do sleep 0.1; done");
  await place.write(join(place.project, "go"), "");
  await screen.shows("reviewing 1/10 · git status");
  seen.resolve();
  await screen.shows(/glm · some-model · context \d+% · done 1 of 1/);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);
});

test("the user's own status line stays, and can call ccc's as documented", async () => {
  await using place = await supervisedPlace();
  const page = await readFile(join(import.meta.dir, "../../docs/status-line.md"), "utf8");
  const [, script = "", settings = ""] = /```sh\n(.*?)```.*?```json\n(.*?)```/s.exec(page) ?? [];
  await place.write(place.at(".claude/statusline.sh"), script.replace("git branch --show-current", "echo MINE"));
  await place.write(place.at(".claude/settings.json"), settings);
  await symlink(CCC, join(place.bin, "ccc"));
  await using screen = newScreen([CCC, "glm", "--model", "some-model"], { cwd: place.project, env: place.env });
  await screen.shows(/MINE · glm · some-model .*· supervisor off/);
});
