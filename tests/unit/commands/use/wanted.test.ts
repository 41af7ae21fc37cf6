import { describe, expect, test } from "bun:test";
import { type UseSources, wantedSettings } from "../../../../src/commands/use/wanted.ts";
import { ALWAYS_BLANK } from "../../../../src/providers/always-blank.ts";
import { BLANKS } from "../../../../src/providers/variables.ts";

const launch = {
  permissions: { allow: ["Read"] },
  env: { ...BLANKS, ANTHROPIC_BASE_URL: "https://p", ANTHROPIC_AUTH_TOKEN: "t", TIMEOUT: "9", CCC_LAUNCH: "1" },
  apiKeyHelper: "",
};
const wanted = (parts: Partial<UseSources> = {}) =>
  wantedSettings({ launch, defaults: [], supervision: undefined, base: {}, shell: {}, ...parts }) as {
    env: Record<string, string>;
  } & Record<string, unknown>;
const hook = { hooks: [{ type: "command", command: "ccc" }] };
const supervision = { env: { CAP: "20", CCC_LAUNCH: "", SIMPLE: "" }, hooks: { Stop: [hook] } };

describe("the settings that ccc use writes:", () => {
  test("the provider's settings, and blanks for the common variables", () => {
    const { env, ...rest } = wanted();
    expect(rest).toEqual({ permissions: { allow: ["Read"] } });
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: "https://p", ANTHROPIC_AUTH_TOKEN: "t", TIMEOUT: "9" });
    expect(Object.keys(env).sort()).toEqual([...Object.keys(ALWAYS_BLANK), "TIMEOUT"].sort());
  });
  test("a key that a login stored, now or later, is shadowed by the provider's own", () =>
    expect(wanted().env.ANTHROPIC_CUSTOM_HEADERS).toBe("x-api-key: t"));
  test("blanks for what the shell or the user's file sets, known or not", () => {
    const { env } = wanted({
      shell: { ANTHROPIC_FOUNDRY_API_KEY: "k", ANTHROPIC_TOMORROW: "k", CLAUDE_CODE_USE_MANTLE: "", PATH: "/bin" },
      base: { env: { CLAUDE_CODE_EXTRA_BODY: "{}", MINE: "1" } },
    });
    expect(env).toMatchObject({ ANTHROPIC_FOUNDRY_API_KEY: "", ANTHROPIC_TOMORROW: "", CLAUDE_CODE_EXTRA_BODY: "" });
    expect(Object.keys(env)).not.toContain("MINE");
    expect(Object.keys(env)).not.toContain("PATH");
  });
  test("what ccc sets by itself, unless the user's file decides it", () => {
    const set = { launch: { ...launch, env: { ...launch.env, HEADER: "0" } }, base: { env: { HEADER: "1" } } };
    expect(wanted({ ...set, defaults: ["HEADER"], base: {} }).env).toMatchObject({ HEADER: "0" });
    expect(Object.keys(wanted({ ...set, defaults: ["HEADER"] }).env)).not.toContain("HEADER");
    expect(wanted(set).env).toMatchObject({ HEADER: "0" });
  });
  test("the user's apiKeyHelper is cancelled, and only if there is one", () => {
    expect(wanted({ base: { apiKeyHelper: "mine" } }).apiKeyHelper).toBe("");
    expect(wanted({ launch: { ...launch, apiKeyHelper: "ccc key glm" } }).apiKeyHelper).toBe("ccc key glm");
    expect(Object.keys(wanted())).not.toContain("apiKeyHelper");
  });
  test("with supervision, the hook follows those of ccc.json", () => {
    const shared = { ...launch, hooks: { Stop: ["shared"], PreToolUse: ["p"] } };
    const { hooks, env, disableAllHooks } = wanted({ launch: shared, supervision });
    expect(hooks).toEqual({ Stop: ["shared", hook], PreToolUse: ["p"] });
    expect(env).toMatchObject({ CAP: "20", CCC_LAUNCH: "" });
    expect([Object.keys(env).includes("SIMPLE"), disableAllHooks]).toEqual([false, undefined]);
  });
  test("switches in the user's file that disable hooks are turned off", () => {
    const base = { disableAllHooks: true, allowManagedHooksOnly: false, env: { SIMPLE: "1" } };
    expect(wanted({ supervision, base })).toMatchObject({ disableAllHooks: false, env: { SIMPLE: "" } });
    expect(wanted({ base }).disableAllHooks).toBeUndefined();
  });
});
