import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const SETTINGS = "/home/u/.claude/settings.json";
const SESSION = "/home/u/.claude/projects/-project/0961ad8d-cff1-4011-8ad0-cc8b1b55fbe3.jsonl";
const provider = (name: string, model: string) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `key-of-${name}`, ANTHROPIC_MODEL: model },
});
const PROVIDERS = { glm: provider("glm", "glm-5"), kimi: provider("kimi", "k3"), work: provider("work", "k3") };
const configured = (more: object = {}) => ({
  [CONFIG]: JSON.stringify({ current_provider: "glm", providers: PROVIDERS, ...more }),
});

async function ccc(argv: string[], content: Record<string, string | null>, parts: Partial<World> = {}) {
  const { world, said, files } = fakeWorld({ argv, content, ...parts });
  return { exitCode: await run(world), ...said, content: files.content };
}

describe("ccc why", () => {
  test("is text for people, and JSON for programs", async () => {
    const text = await ccc(["why"], configured());
    expect(text).toMatchObject({ exitCode: 0, stderr: "" });
    expect(text.stdout).toStartWith("ccc glm: requests go to https://glm.test with the key *** from ");
    const json = await ccc(["why", "kimi", "--json"], configured());
    expect(JSON.parse(json.stdout)).toMatchObject({ provider: "kimi", ccc: { to: "https://kimi.test" }, pin: null });
  });

  test("without any provider it explains plain claude, unless one is named", async () => {
    expect(await ccc(["why"], {})).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("ccc: no provider yet. To add one: ccc provider add"),
      stderr: "",
    });
    expect(await ccc(["why", "glm"], {})).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("a ccc.json that cannot be read is an error, not the lack of a provider", async () => {
    const { exitCode, stdout, stderr } = await ccc(["why"], { [CONFIG]: "{" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(CONFIG);
  });

  test("names the server of a provider that cannot be launched, as far as it is known", async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: "${NO_SUCH}", ANTHROPIC_BASE_URL: "https://${PLACE}.test" };
    const shell = { HOME: "/home/u", PATH: "/bin", PLACE: "here" };
    const content = { [CONFIG]: JSON.stringify({ providers: { glm: { env } } }) };
    const { stdout } = await ccc(["why", "--json"], content, { env: shell });
    expect(JSON.parse(stdout).ccc).toMatchObject({
      refused: expect.stringContaining("${NO_SUCH} is not set"),
      to: "https://here.test",
      to_from: { name: "ANTHROPIC_BASE_URL", source: "provider", by: null },
    });
    expect((await ccc(["why"], content, { env: shell })).stdout).toStartWith("ccc glm: is not launched: ");
  });
});

describe("ccc why says which provider `ccc -c` would use,", () => {
  const session = (model: string) => ({ [SESSION]: JSON.stringify({ type: "assistant", message: { model } }) });
  const notice = "ccc: `ccc -c` uses glm here, which the last session in this folder ran on. See ccc why glm.\n";
  const onKimi = configured({ current_provider: "kimi" });

  test("if it is another one", async () =>
    expect((await ccc(["why"], { ...onKimi, ...session("glm-5") })).stderr).toBe(notice));

  const table: [name: string, argv: string[], content: Record<string, string>][] = [
    ["there is no session", [], onKimi],
    ["it is the same", [], { ...configured(), ...session("glm-5") }],
    ["several could be meant", [], { ...configured(), ...session("k3") }],
    ["a provider is named", ["work"], { ...onKimi, ...session("glm-5") }],
    ["a pin decides", [], { ...configured({ folders: { "/project": "kimi" } }), ...session("glm-5") }],
  ];
  for (const [name, args, content] of table)
    test(`but not if ${name}`, async () =>
      expect(await ccc(["why", ...args], content)).toMatchObject({ exitCode: 0, stderr: "" }));
});

describe("what `ccc use` wrote is marked as such", () => {
  const env = { HOME: "/home/u", PATH: "/bin", ANTHROPIC_API_KEY: "key-of-the-shell", REF: "key-by-reference" };
  const byUse = { env: { ANTHROPIC_BASE_URL: "https://ref.test", ANTHROPIC_AUTH_TOKEN: "env:REF" } };
  const used = async (name: string, ...options: string[]) => {
    const before = {
      ...configured({ providers: { ...PROVIDERS, ref: byUse } }),
      [SETTINGS]: '{"disableAllHooks":true}',
    };
    return (await ccc(["use", name, ...options], before, { env })).content;
  };
  const places = (json: string): string[] =>
    JSON.parse(json).settings.flatMap(({ name, set }: { name: string; set: { source: string; by: string }[] }) =>
      set.flatMap(({ source, by }) => (source === "user" && by !== null ? [`${name} by ${by}`] : [])),
    );

  test("with its variables", async () => {
    const { stdout } = await ccc(["why", "--json"], await used("kimi"), { env });
    const marked = places(stdout);
    expect(marked).toContain("ANTHROPIC_AUTH_TOKEN by kimi");
    expect(marked).toContain("ANTHROPIC_API_KEY by kimi");
    expect(marked).not.toContain("apiKeyHelper by kimi");
  });

  test("with the command that prints its key", async () => {
    const { stdout } = await ccc(["why", "--json"], await used("ref"), { env });
    expect(places(stdout)).toContain("apiKeyHelper by ref");
    expect(places(stdout)).toContain("ANTHROPIC_BASE_URL by ref");
    const supervised = await ccc(["why", "--json"], await used("ref", "--supervisor"), { env });
    expect(places(supervised.stdout)).toContain("apiKeyHelper by ref");
  });

  test("also if settings.json is a link, but not what is in another file", async () => {
    const content = await used("kimi");
    const record = "/home/u/.claude/ccc/use.json";
    const moved = { ...content, [record]: (content[record] ?? "").replaceAll(SETTINGS, "/dotfiles/settings.json") };
    const linked = (target: string) => {
      const { world, said } = fakeWorld({ argv: ["why", "--json"], content: moved, env });
      const realPath = (path: string) => (path === SETTINGS ? target : path);
      return run({ ...world, files: { ...world.files, realPath } }).then(() => places(said.stdout));
    };
    expect(await linked("/dotfiles/settings.json")).toContain("ANTHROPIC_AUTH_TOKEN by kimi");
    expect(await linked(SETTINGS)).toEqual([]);
  });

  test("and a damaged record does not hide the rest", async () => {
    const content = { ...(await used("kimi")), "/home/u/.claude/ccc/use.json": "{" };
    const { exitCode, stdout } = await ccc(["why", "--json"], content, { env });
    expect({ exitCode, marked: places(stdout) }).toEqual({ exitCode: 0, marked: [] });
  });
});
