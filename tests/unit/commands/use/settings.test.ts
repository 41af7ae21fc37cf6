import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  editSettings,
  type SettingsChange,
  type UseSources,
  wantedSettings,
  withoutUse,
} from "../../../../src/commands/use/settings.ts";
import type { UseRecord } from "../../../../src/commands/use/switch.ts";
import { ALWAYS_BLANK, PROVIDER_VARIABLES } from "../../../../src/providers/variables.ts";
import type { Json } from "../../../../src/text/json.ts";
import { parseText } from "../../../../src/text/json-text.ts";

/** Every provider variable, blank. */
const BLANKS = Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, ""]));

describe("changes of a settings file", () => {
  /** The file without changes of ccc, after it was edited. */
  function reverted(text: string, changes: readonly SettingsChange[], base: object) {
    const record: UseRecord = {
      version: 1,
      provider: "glm",
      supervised: false,
      since: "2026-01-01T00:00:00Z",
      settings: "/s.json",
      original: { text: JSON.stringify(base), mode: 0o644, hash: "of another text" },
      states: [{ hash: "of another text", changes }],
    };
    const held = { path: "/s.json", found: { text, mode: 0o600 }, write: () => {}, remove: () => {} };
    const { file, kept, outcome } = withoutUse(held, record);
    expect(outcome).toBe("reverted");
    return { json: parseText(file?.text ?? ""), kept: kept.map((path) => path.join(".")) };
  }

  describe("make it contain what is wanted", () => {
    const table: [name: string, base: Json, wanted: Json, changes: SettingsChange[]][] = [
      ["nothing to do", { a: 1, l: [1] }, { a: 1, l: [1] }, []],
      ["a new value", {}, { a: 1 }, [{ path: ["a"], after: 1 }]],
      ["another value", { a: 0 }, { a: 1 }, [{ path: ["a"], before: 0, after: 1 }]],
      ["objects are merged", { env: { A: "1" } }, { env: { B: "" } }, [{ path: ["env", "B"], after: "" }]],
      ["lists are added to", { l: [1, 2] }, { l: [2, 3] }, [{ path: ["l"], added: [3] }]],
      ["a new list", {}, { h: { Stop: [1] } }, [{ path: ["h", "Stop"], added: [1] }]],
      [
        "a value that is not a list is replaced by one",
        { l: null },
        { l: [1] },
        [{ path: ["l"], before: null, after: [1] }],
      ],
      [
        "a value that is not an object is replaced",
        { env: 5 },
        { env: { A: "" } },
        [{ path: ["env"], before: 5, after: { A: "" } }],
      ],
      ["an empty object", {}, { a: {} }, [{ path: ["a"], after: {} }]],
    ];
    for (const [name, base, wanted, changes] of table)
      test(name, () => expect(editSettings(JSON.stringify(base), base, wanted)?.changes).toEqual(changes));
  });

  describe("are undone, and the user's stay", () => {
    const changes: SettingsChange[] = [
      { path: ["env", "URL"], after: "ours" },
      { path: ["env", "KEY"], before: "theirs", after: "" },
      { path: ["hooks", "Stop"], added: ["our hook"] },
    ];
    const base = { env: { KEY: "theirs" } };
    const table: [name: string, now: unknown, then: unknown, kept: string[]][] = [
      ["all as written", { env: { KEY: "", URL: "ours" }, hooks: { Stop: ["our hook"] } }, base, []],
      [
        "the user added things",
        { env: { KEY: "", URL: "ours", MINE: "1" }, hooks: { Stop: ["our hook", "mine"] }, theme: "dark" },
        { env: { KEY: "theirs", MINE: "1" }, hooks: { Stop: ["mine"] }, theme: "dark" },
        [],
      ],
      ["the user changed a value of ours", { env: { KEY: "new", URL: "ours" } }, { env: { KEY: "new" } }, ["env.KEY"]],
      ["the user removed what we added", { env: { KEY: "" } }, { env: { KEY: "theirs" } }, []],
      ["it was taken back before", base, base, []],
    ];
    for (const [name, now, then, kept] of table) {
      test(name, () => {
        expect(reverted(JSON.stringify(now), changes, base)).toEqual({ json: then, kept });
      });
    }
    test("it is unknown which of two states was written last", () => {
      const former: SettingsChange[] = [{ path: ["env", "URL"], after: "former" }];
      const text = '{"env":{"KEY":"theirs","URL":"former"}}';
      expect(reverted(text, [...changes, ...former], base)).toEqual({ json: base, kept: [] });
    });
  });

  test("property: can be made and undone in every layout", () => {
    const key = fc.constantFrom("env", "hooks", "a", "b");
    const leaf = fc.oneof(
      fc.constantFrom("", "x", true, null, 1),
      fc.array(fc.constantFrom("p", "q"), { maxLength: 2 }),
    );
    const inner = fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true });
    const settings = fc.dictionary(key, fc.oneof(leaf, inner), { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(settings, settings, fc.constantFrom(undefined, 2, "\t"), (base, wanted, indent) => {
        const text = JSON.stringify(base, null, indent);
        const edited = editSettings(text, base, wanted);
        expect(edited && editSettings(edited.text, parseText(edited.text) as Json, wanted)?.changes).toEqual([]);
        const { text: after = "", changes = [] } = edited ?? {};
        expect(reverted(after, changes, base)).toEqual({ json: base, kept: [] });
      }),
      { numRuns: 300 },
    );
  });
});

describe("wanted", () => {
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
});
