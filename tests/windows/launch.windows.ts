import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { TOKEN, windowsPlace } from "./windows-place.ts";
import { CLAUDE_EXE } from "./windows-programs.ts";

const ok = () => ({ say: "hello" });

/** To Windows, names that differ in case only are the same. */
const ODDLY_SPELLED = { Anthropic_Auth_Token: "sk-ant-project", Anthropic_Custom_Headers: "x-foreign: sk-ant-header" };

test("a launch reaches the provider with its key and no other", async () => {
  await using place = await windowsPlace(ok);
  const foreign = { ANTHROPIC_API_KEY: "sk-ant-foreign", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  await place.write(place.at(".claude/settings.json"), { env: foreign });
  const projects = { env: { ...ODDLY_SPELLED, ANTHROPIC_MODEL: "foreign-model" } };
  await place.write(place.at("my project/.claude/settings.json"), projects);
  const shell = { Anthropic_Auth_Token: "sk-ant-shell", ANTHROPIC_API_KEY: "sk-ant-shell" };

  const result = await place.ccc(["glm", "-p", "hi"], { env: shell });

  expect(result).toEqual({ exitCode: 0, stdout: "hello\n", stderr: "" });
  expect(place.sandbox.received.length).toBeGreaterThan(0);
  for (const { headers, body } of place.sandbox.received) {
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify([headers, body])).not.toMatch(/sk-ant-|foreign-model/);
  }
});

const AWKWARD_PROMPT = `say "it's" 100%PATH% & <nothing> | ^x $HOME \`y\` \\"quoted\\" größe 好 😀 C:\\dir\\`;

test("arguments reach the model unchanged: spaces, quotes, backslashes, percent signs and non-ASCII letters", async () => {
  await using place = await windowsPlace(ok);
  // As npm installs it. cmd.exe would change the arguments.
  await place.write(place.at("npm/claude.cmd"), "@exit 99\r\n");
  const program = place.at("npm/node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  await mkdir(dirname(program), { recursive: true });
  await copyFile(CLAUDE_EXE, program);
  const env = { Path: `${place.windowsAt("npm")};C:\\Windows\\System32` };

  const result = await place.ccc(["glm", "-p", AWKWARD_PROMPT, "--append-system-prompt", ""], { env });

  expect(result).toEqual({ exitCode: 0, stdout: "hello\n", stderr: "" });
  const texts = place.sandbox.received.map(({ body }) => JSON.stringify(body.messages));
  expect(texts.some((text) => text.includes(JSON.stringify(AWKWARD_PROMPT).slice(1, -1)))).toBe(true);
});

test("arguments that cmd.exe would change are not passed to a claude.cmd", async () => {
  await using place = await windowsPlace(ok);
  await place.write(place.at("other/claude.cmd"), "@echo ran\r\n");
  const env = { Path: `${place.windowsAt("other")};C:\\Windows\\System32` };

  const { exitCode, stdout, stderr } = await place.ccc(["glm", "-p", AWKWARD_PROMPT], { env });

  expect({ exitCode, stdout }).toEqual({ exitCode: 126, stdout: "" });
  expect(stderr).toContain("cmd.exe would change them\n");
  expect(stderr).toContain("Set CCC_CLAUDE to the path of claude.exe.");
});

test("the exit code is claude's", async () => {
  await using place = await windowsPlace(ok);
  expect((await place.ccc(["glm", "--no-such-option-of-claude"])).exitCode).toBe(1);
  expect((await place.ccc(["glm", "-p", "hi"], { env: { Path: "C:\\Windows" } })).exitCode).toBe(127);
});

test("a key that is a reference is asked for through cmd.exe, and is in no file", async () => {
  await using place = await windowsPlace(ok);
  const env = { ANTHROPIC_BASE_URL: place.sandbox.url, ANTHROPIC_AUTH_TOKEN: "env:MY_KEY" };
  await place.write(place.at(".claude/ccc.json"), { providers: { glm: { env } } });
  await place.write(place.at("my project/.claude/settings.json"), { env: ODDLY_SPELLED });

  const result = await place.ccc(["glm", "-p", "hi"], { env: { MY_KEY: "sk-referenced" } });

  expect(result).toEqual({ exitCode: 0, stdout: "hello\n", stderr: "" });
  expect(place.sandbox.received.length).toBeGreaterThan(0);
  for (const { headers } of place.sandbox.received) {
    expect([headers.authorization, headers["x-api-key"]]).toEqual(["Bearer sk-referenced", "sk-referenced"]);
    expect(JSON.stringify(headers)).not.toContain("sk-ant-");
  }
  const folder = place.at(".claude/ccc");
  const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
  expect(files.join()).not.toContain("sk-referenced");
});

test("the plan names every path with one kind of slash", async () => {
  await using place = await windowsPlace(ok);

  const { stdout } = await place.ccc(["--dry-run", "--json", "--supervisor", "glm", "-p", "hi"]);

  const paths = stdout.match(/"[A-Z]:[^"]*"/g) ?? [];
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => path.includes("/"))).toEqual([]);
});
