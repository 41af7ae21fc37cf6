import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Layer, Scope } from "../../../src/claude/layers.ts";
import type { Identity } from "../../../src/providers/identity.ts";
import { decideVariables, guardEnvironment, isolate } from "../../../src/providers/isolation.ts";
import { PROVIDER_VARIABLES } from "../../../src/providers/variables.ts";

/** Every provider variable, blank. */
const BLANKS = Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, ""]));

const layer = (scope: Scope, env: Layer["env"]): Layer => ({
  path: `/${scope}.json`,
  scope,
  env,
  apiKeyHelper: undefined,
  forbidsHooks: false,
});

const identity = (env: Record<string, string>, apiKeyHelper = ""): Identity => ({ env, apiKeyHelper });
const THIRD = "https://api.z.ai/api/anthropic";

describe("isolate", () => {
  test("blanks every provider variable that is not set, and no other", () => {
    const { env } = isolate(identity({ ANTHROPIC_AUTH_TOKEN: "own", API_TIMEOUT_MS: "1" }), [], false);
    expect(env).toEqual({ ...BLANKS, ANTHROPIC_AUTH_TOKEN: "own", API_TIMEOUT_MS: "1" });
  });
  test("blanks variables of settings files that a future version may add", () => {
    const layers = [
      layer("user", { ANTHROPIC_Z: "1", FOO: "1", ANTHROPIC_MODEL: "m" }),
      layer("project", { ANTHROPIC_A: 1, ANTHROPIC_B: "1" }),
    ];
    const { env } = isolate(identity({ ANTHROPIC_B: "own" }), layers, false);
    expect(env).toEqual({ ...BLANKS, ANTHROPIC_A: "", ANTHROPIC_B: "own", ANTHROPIC_Z: "" });
  });
});

describe("a launch has the usual settings", () => {
  const table: [name: string, isUsual: boolean, settings: Layer[], shell: Record<string, string>][] = [
    ["if nothing else is set", true, [], {}],
    ["with other variables", true, [layer("user", { ANTHROPIC_MODEL: "m", FOO: "1" })], { FOO: "1" }],
    ["not with a provider variable that ccc does not know", false, [layer("user", { ANTHROPIC_NEW: "1" })], {}],
    ["not if the shell overrides a default", false, [], { CLAUDE_CODE_ATTRIBUTION_HEADER: "1" }],
    ["if the shell sets it to the same value", true, [], { CLAUDE_CODE_ATTRIBUTION_HEADER: "0" }],
    ["not if a settings file overrides it", false, [layer("local", { CLAUDE_CODE_ATTRIBUTION_HEADER: 1 })], {}],
  ];
  test.each(table)("%s: %p", (_, isUsual, settings, env) =>
    expect(decideVariables(settings, env, "/c").isUsual).toBe(isUsual),
  );
});

describe("a claude that the session runs", () => {
  const login = (env: Record<string, string>, helper: string, mayUseLogin = false) =>
    isolate(identity(env, helper), [], mayUseLogin).env.ANTHROPIC_FEDERATION_RULE_ID;
  test("gets an invalid identity where it would otherwise send the login to the provider", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD }, "helper")).toBe("ccc-no-login"));
  test("may use the login at Anthropic", () => expect(login({}, "helper")).toBe(""));
  test("uses the token that is written into the settings", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_AUTH_TOKEN: "t" }, "")).toBe(""));
  test("may use the login where sessions start without ccc", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD }, "helper", true)).toBe(""));
  test("keeps the provider's own identity", () =>
    expect(login({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_FEDERATION_RULE_ID: "own" }, "helper")).toBe("own"));
});

describe("the environment of a claude that loses its settings", () => {
  test("leads nowhere, and has nothing of the provider's in it", () => {
    const guard = guardEnvironment(identity({ ANTHROPIC_BASE_URL: THIRD, ANTHROPIC_MODEL: "m" }, "helper"));
    expect(guard).toEqual({
      ANTHROPIC_BASE_URL: "https://ccc-settings-not-loaded.invalid",
      ANTHROPIC_AUTH_TOKEN: "ccc-settings-not-loaded",
      ANTHROPIC_CUSTOM_HEADERS: "x-api-key: ccc-settings-not-loaded",
    });
    expect(guardEnvironment(identity({ ANTHROPIC_AUTH_TOKEN: "t" }))).toEqual(guard);
  });
  test("is empty for a provider that needs the login", () =>
    expect(guardEnvironment(identity({ ANTHROPIC_MODEL: "m" }))).toEqual({}));
});

describe("what a launch decides", () => {
  const table: [name: string, settings: Layer[], shell: Record<string, string>, decided: Record<string, string>][] = [
    ["all blank where the user says nothing", [], {}, {}],
    [
      "a folder's values do not count",
      [layer("project", { HTTP_PROXY: "p" }), layer("local", { NO_PROXY: "*" })],
      {},
      {},
    ],
    ["the shell's do", [layer("project", { NO_PROXY: "*" })], { NO_PROXY: "x" }, { NO_PROXY: "x", no_proxy: "x" }],
    [
      "the user's settings win over the shell's",
      [layer("user", { NODE_OPTIONS: "--inspect", BUN_OPTIONS: "" })],
      { NODE_OPTIONS: "--no-warnings", BUN_OPTIONS: "--smol" },
      { NODE_OPTIONS: "--inspect" },
    ],
    ["a number is what it says", [layer("user", { CCC_KEYCHAIN: 0 })], {}, { CCC_KEYCHAIN: "0" }],
    ["both spellings of a proxy, where one is set", [], { https_proxy: "p" }, { https_proxy: "p", HTTPS_PROXY: "p" }],
    ["either spelling, where both are", [], { http_proxy: "a", HTTP_PROXY: "b" }, { http_proxy: "a", HTTP_PROXY: "b" }],
    ["nobody can set the marker of a review", [layer("user", { CCC_SUPERVISOR_HOOK: "1" })], {}, {}],
  ];
  test.each(table)("%s", (_, settings, shell, wanted) => {
    const { env, isUsual } = decideVariables(settings, shell, "/c");
    const { CCC_CONFIG_DIR, ...rest } = env;
    expect(CCC_CONFIG_DIR).toBe("/c");
    expect(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""))).toEqual(wanted);
    expect(isUsual).toBe(Object.keys(wanted).length === 0);
    expect(rest).toMatchObject({ BASH_ENV: "", CCC_CLAUDE: "", CCC_SUPERVISOR_HOOK: "", LD_PRELOAD: "" });
  });

  test("every CCC_ variable that ccc reads, except its own markers, build constants and those of notifications", () => {
    const { env } = decideVariables([], {}, "/c");
    const source = join(import.meta.dir, "../../../src");
    const texts = [...new Glob("**/*.ts").scanSync(source)].map((file) => readFileSync(join(source, file), "utf8"));
    const names = new Set(texts.flatMap((text) => text.match(/\bCCC_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
    const decided = [...Object.keys(env), "CCC_LAUNCH"];
    expect([...names].filter((name) => !decided.includes(name)).sort()).toEqual([
      "CCC_CASES",
      "CCC_COMMIT",
      "CCC_EXEC",
      "CCC_FOLDER",
      "CCC_LIBC",
      "CCC_MESSAGE",
      "CCC_OUTCOME",
      "CCC_REVIEW_FILES",
      "CCC_REVIEW_FOLDERS",
      "CCC_REVIEW_GIT_FOLDERS",
      "CCC_REVIEW_SANDBOX",
      "CCC_RUN",
      "CCC_SESSION",
    ]);
  });
});

test("a variable of a folder that is ignored is reported with its file, the user's own are not", () => {
  const env = { http_proxy: "p", NO_PROXY: "*", CCC_CLAUDE: "x", BASH_ENV: "y", MINE: "1" };
  const layers = [layer("user", env), layer("project", env), layer("local", { MINE: "1", NODE_OPTIONS: "x" })];
  expect(decideVariables(layers, {}, "/c").notices).toEqual([
    "/project.json sets http_proxy, NO_PROXY; ignored, because it would redirect your key",
    "/project.json sets CCC_CLAUDE, BASH_ENV; ignored, because it could run code with access to your key",
    "/local.json sets NODE_OPTIONS; ignored, because it could run code with access to your key",
  ]);
});

describe("an empty value is harmless, and switches the earlier value off", () => {
  const { env } = decideVariables([], {}, "/c");
  const blanks = Object.fromEntries(Object.entries(env).filter(([, value]) => value === ""));
  const clean = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };
  const programs: [name: string, command: string[]][] = [
    ["bun", [process.execPath, "-e", "console.log('ran')"]],
    ["sh", ["sh", "-c", "echo ran"]],
    ["bash", ["bash", "-c", "echo ran"]],
    ["git", ["git", "-c", "alias.x=!echo ran", "x"]],
    ["curl", ["sh", "-c", "curl -s http://127.0.0.1:9/; [ $? = 7 ] && echo ran"]],
    ["node", ["node", "-e", "console.log('ran')"]],
    ["python3", ["python3", "-c", "print('ran')"]],
    ["perl", ["perl", "-e", "print qq(ran\\n)"]],
  ];
  test.each(programs.filter(([name]) => name === "bun" || Bun.which(name)))("%s", (_, command) => {
    const { stdout, stderr } = Bun.spawnSync(command, { env: { ...clean, ...blanks } });
    expect([stdout.toString(), stderr.toString()]).toEqual(["ran\n", ""]);
  });
});
