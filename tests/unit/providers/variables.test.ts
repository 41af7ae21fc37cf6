import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Layer, Scope } from "../../../src/claude/layers.ts";
import { breaksPrograms, decide, overruled } from "../../../src/providers/variables.ts";

const layer = (scope: Scope, env: Layer["env"]): Layer => ({
  path: `/${scope}.json`,
  scope,
  env,
  apiKeyHelper: undefined,
  forbidsHooks: false,
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
    ["nobody can set the mark of a review", [layer("user", { CCC_SUPERVISOR_HOOK: "1" })], {}, {}],
  ];
  test.each(table)("%s", (_, settings, shell, wanted) => {
    const { env, isBlank } = decide(settings, shell, "/c");
    const { CCC_CONFIG_DIR, ...rest } = env;
    expect(CCC_CONFIG_DIR).toBe("/c");
    expect(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""))).toEqual(wanted);
    expect(isBlank).toBe(Object.keys(wanted).length === 0);
    expect(rest).toMatchObject({ BASH_ENV: "", CCC_CLAUDE: "", CCC_SUPERVISOR_HOOK: "", LD_PRELOAD: "" });
  });

  test("every CCC_ variable that ccc reads, except its own marks, build constants and those of notifications", () => {
    const { env } = decide([], {}, "/c");
    const source = join(import.meta.dir, "../../../src");
    const texts = [...new Glob("**/*.ts").scanSync(source)].map((file) => readFileSync(join(source, file), "utf8"));
    const names = new Set(texts.flatMap((text) => text.match(/\bCCC_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
    const decided = [...Object.keys(env), "CCC_LAUNCH"];
    expect([...names].filter((name) => !decided.includes(name)).sort()).toEqual([
      "CCC_COMMIT",
      "CCC_EXEC",
      "CCC_FOLDER",
      "CCC_LIBC",
      "CCC_MESSAGE",
      "CCC_OUTCOME",
      "CCC_REVIEW_FOLDERS",
      "CCC_REVIEW_TRANSCRIPT",
      "CCC_RUN",
      "CCC_RUN_NOTES",
      "CCC_SESSION",
    ]);
  });
});

test("a variable of a folder that is ignored is reported with its file, the user's own are not", () => {
  const env = { http_proxy: "p", NO_PROXY: "*", CCC_CLAUDE: "x", BASH_ENV: "y", MINE: "1" };
  const layers = [layer("user", env), layer("project", env), layer("local", { MINE: "1", NODE_OPTIONS: "x" })];
  expect(overruled(layers)).toEqual([
    "/project.json sets http_proxy, NO_PROXY; ignored, because it would redirect your key",
    "/project.json sets CCC_CLAUDE, BASH_ENV; ignored, because it could run code with access to your key",
    "/local.json sets NODE_OPTIONS; ignored, because it could run code with access to your key",
  ]);
});

test.each([
  ["BUN_JSC_dumpOptions", true],
  ["LD_TRACE_LOADED_OBJECTS", true],
  ["LD_SHOW_AUXV", true],
  ["LD_PRELOAD", false],
  ["BUN_OPTIONS", false],
  ["PATH", false],
])("%s breaks programs, even if it is blank: %p", (name, is) => expect(breaksPrograms(name)).toBe(is));

describe("an empty value is harmless, and switches the earlier value off", () => {
  const { env } = decide([], {}, "/c");
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
