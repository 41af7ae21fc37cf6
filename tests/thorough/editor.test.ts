import { describe, expect, test } from "bun:test";
import { existsSync, realpathSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { dirname } from "node:path";
import {
  CCC,
  CLAUDE,
  credentials,
  inTurn,
  newPlace,
  newSandbox,
  OLDEST_CLAUDE,
  type Place,
  provider,
} from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

/** The editor's own claude. The one on PATH must not run. */
const BUNDLED = realpathSync(CLAUDE);
/** As the VS Code extension starts a conversation. */
const CONVERSATION = `--output-format stream-json --verbose --input-format stream-json --permission-prompt-tool stdio
  --model default --setting-sources user,project,local --permission-mode default --include-partial-messages`.split(
  /\s+/,
);

async function link(place: Place, name: string): Promise<string> {
  const path = place.at(name);
  await symlink(CCC, path);
  return path;
}

describe("ccc as an editor's wrapper for claude", () => {
  test("a conversation goes to the provider that the link is named after, on the editor's own claude", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await using kimi = newSandbox();
    await place.config({
      current_provider: "kimi",
      providers: { glm: provider(glm, "glm-token-of-tests"), kimi: provider(kimi, "kimi-token-of-tests") },
    });
    await place.write(place.at(".claude/settings.json"), { env: { ANTHROPIC_API_KEY: "foreign" } });
    await place.standIn("echo 'the claude on PATH was run' >&2; exit 99");

    const child = Bun.spawn([await link(place, "ccc-glm"), BUNDLED, ...CONVERSATION], {
      cwd: place.project,
      env: { ...place.env, ANTHROPIC_AUTH_TOKEN: "foreign" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    const lines = messages(child.stdout);
    const ask = async (content: string) => {
      const message = { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content } };
      child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.flush();
      for (let line = await lines.next(); !line.done; line = await lines.next())
        if (line.value.type === "result") return line.value.result;
      return undefined;
    };
    // The second answer needs the same process, with its stdin still open.
    expect(await ask("first")).toBe("ok");
    expect(await ask("second")).toBe("ok");
    child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(new Set(credentials(glm).map(({ bearer, key }) => `${bearer} ${key}`))).toEqual(
      new Set(["Bearer glm-token-of-tests glm-token-of-tests"]),
    );
    expect(kimi.received).toEqual([]);
    expect(await Bun.file(place.at(".claude/ccc.json")).json()).toMatchObject({ current_provider: "kimi" });
  });

  test("ccc provider editor makes a program for VS Code, which stays that if it is resolved, and shows no key; remove deletes it", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    const providers = { glm: provider(glm, "glm-token-of-tests"), other: provider(glm, "t") };
    await place.config({ current_provider: "other", providers });
    const told = await place.ccc(["provider", "editor", "glm", "--json"]);
    expect(told).toMatchObject({ exitCode: 0, stderr: "" });
    const { vscode, jetbrains } = JSON.parse(told.stdout);
    const wrapper = vscode["claudeCode.claudeProcessWrapper"];
    expect(wrapper).toBe(place.at(".claude/ccc/bin/ccc-glm"));
    const shown = await place.ccc(["provider", "editor", "glm"]);
    expect(shown.stdout).toContain(`"claudeCode.claudeProcessWrapper": ${JSON.stringify(wrapper)}`);
    expect(told.stdout + shown.stdout).not.toContain("glm-token-of-tests");

    const resolved = await place.ccc([BUNDLED, "-p", "hi"], { ccc: realpathSync(wrapper) });
    expect(resolved).toMatchObject({ exitCode: 0, stdout: "ok\n", stderr: "" });
    // JetBrains types it into a terminal.
    const typed = await place.ccc(["-c", `${jetbrains} -p hi`], { ccc: "/bin/sh" });
    expect(typed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(credentials(glm).every(({ bearer }) => bearer === "Bearer glm-token-of-tests")).toBeTrue();

    expect(await place.ccc(["provider", "remove", "glm", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(existsSync(wrapper)).toBeFalse();
  });

  test("a key in a variable has to be set in the editor too", async () => {
    await using place = await newPlace();
    const env = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY" };
    await place.config({ providers: { glm: { env } } });
    const { stderr } = await place.ccc(["provider", "editor"]);
    expect(stderr).toBe("ccc: GLM_KEY must be set in the editor too: start the editor from a shell that sets it\n");
  });

  test("the editor gets what claude prints and its exit code, for other commands too", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "t" } } } });
    await place.standIn("exit 99");
    const glm = await link(place, "ccc-glm");
    const own = Bun.spawnSync([BUNDLED, "--version"], { env: place.env }).stdout.toString();
    expect(await place.ccc([BUNDLED, "--version"], { ccc: glm })).toMatchObject({ exitCode: 0, stdout: own });
    expect(await place.ccc([BUNDLED, "--version"])).toMatchObject({ exitCode: 0, stdout: own });
    const plugins = await place.ccc([BUNDLED, "plugin", "list", "--json"], { ccc: glm });
    expect(JSON.parse(plugins.stdout)).toBeArray();
    expect(await place.ccc([BUNDLED, "--no-such-option"], { ccc: glm })).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("a supervised conversation is reviewed by the editor's own claude too", async () => {
    await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
    await place.standIn("exit 99");
    const env = { CCC_SUPERVISOR: "1" };
    const result = await place.ccc([BUNDLED, "-p", "hi"], { ccc: await link(place, "ccc-glm"), env });
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(place.reviews()).toHaveLength(1);
  });

  test("an old version runs on Node, as the editor says, and is refused if supervised", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: { env: { ANTHROPIC_AUTH_TOKEN: "t" } } } });
    await place.standIn("exit 99");
    await symlink(dirname(OLDEST_CLAUDE), place.at("claude-code"));
    const program = [Bun.which("node") ?? "node", place.at("claude-code/cli.js")];
    expect(await place.ccc([...program, "--version"])).toMatchObject({ exitCode: 0, stdout: "2.0.77 (Claude Code)\n" });
    const supervised = await place.ccc([...program, "-p", "hi"], { env: { CCC_SUPERVISOR: "1" } });
    expect(supervised).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("a link named after a provider that is gone runs nothing", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await place.config({ providers: { glm: provider(glm, "t") } });
    const result = await place.ccc([BUNDLED, "-p", "hi"], { ccc: await link(place, "ccc-old") });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toStartWith('ccc: this program is called ccc-old, but "old" is not one of your providers\n');
    expect(glm.received).toEqual([]);
  });
});

async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<{ type: string; result?: string }> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
