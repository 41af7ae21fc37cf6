import { describe, expect, test } from "bun:test";
import { printablePlan } from "../../../src/launch/mask.ts";
import type { Plan } from "../../../src/launch/plan.ts";

const PLAN: Plan = {
  provider: "glm",
  file: "/bin/claude",
  args: [],
  unset: [],
  set: {},
  files: [],
  settings: { agent: { path: "", content: {} }, reviewer: undefined, fallback: [] },
  isShared: false,
  remember: false,
  references: [],
  notices: [],
};
const shown = (plan: Partial<Plan>) => printablePlan({ ...PLAN, ...plan }, { why: "named", supervised: null });

describe("a plan that is printed", () => {
  test("masks a key, also where it occurs again", () => {
    const { set, args } = shown({ set: { ANTHROPIC_AUTH_TOKEN: "key-12345678" }, args: ["say key-12345678"] });
    expect(JSON.stringify({ set, args })).not.toContain("12345678");
  });
  test("leaves an empty key empty: a blank is no secret, and is everywhere", () => {
    const { set, args } = shown({ set: { ANTHROPIC_AUTH_TOKEN: "" }, args: ["hello"] });
    expect({ set, args }).toEqual({ set: { ANTHROPIC_AUTH_TOKEN: "" }, args: ["hello"] });
  });
  test("masks a password in an address", () =>
    expect(JSON.stringify(shown({ set: { ANTHROPIC_BASE_URL: "https://u:pass-word-1@glm.test" } }))).not.toContain(
      "pass-word-1",
    ));
  test("keeps names and paths, even if a key is a word that is in them", () => {
    const { provider, file } = shown({
      provider: "ollama",
      file: "/opt/ollama/claude",
      set: { ANTHROPIC_AUTH_TOKEN: "ollama" },
    });
    expect([provider, file]).toEqual(["ollama", "/opt/ollama/claude"]);
  });
  test("masks a key of any length, and only there: a short one may be a word", () => {
    const { files } = shown({
      files: [{ path: "/s.json", content: { env: { ANTHROPIC_API_KEY: "me" }, note: "some" } }],
    });
    expect(files[0]?.content).toEqual({ env: { ANTHROPIC_API_KEY: expect.not.stringContaining("me") }, note: "some" });
  });
  test("masks what a command for the key has in it, but shows the command", () => {
    const reference = { variable: "ANTHROPIC_AUTH_TOKEN", reference: "cmd:op read --token=abcdef123456 key" } as const;
    const { references } = shown({ references: [reference as unknown as Plan["references"][number]] });
    expect(references[0]?.reference).toStartWith("cmd:op read");
    expect(references[0]?.reference).not.toContain("abcdef123456");
  });
  test("shows everything else as it is", () => {
    const files = [{ path: "/s.json", content: { list: ["a", { b: 1, c: null }], on: true } }];
    const args = ["cmd:echo is what to explain", "x"];
    expect(shown({ files, args })).toMatchObject({ files, args });
  });
  test("has no settings beside its files, and says what was decided", () => {
    const plan = shown({});
    expect(plan).not.toHaveProperty("settings");
    expect(plan).toMatchObject({ why: "named", supervised: null });
  });
});
