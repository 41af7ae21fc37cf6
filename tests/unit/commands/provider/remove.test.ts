import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryKeychain } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const GENERATED = "/home/u/.claude/ccc";
const KEY = "sk-of-the-user-0123456789";
const GLM = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "keychain:glm" } };
const KIMI = { env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_AUTH_TOKEN: "k" } };
const BOTH = { glm: GLM, kimi: KIMI };

async function remove(args: string[], parts: Partial<World> = {}, more: Record<string, string> = {}) {
  const keychain = memoryKeychain({ glm: KEY, kimi: KEY });
  const { world, said, files } = fakeWorld({
    argv: ["provider", "remove", ...args],
    content: { [CONFIG]: JSON.stringify({ providers: BOTH }), ...more },
    keychain,
    ...parts,
  });
  const exitCode = await run(world);
  const { providers } = JSON.parse(files.read(CONFIG) ?? "");
  return { exitCode, ...said, providers, keys: Object.keys(keychain.content), files };
}

const atTerminal = (answer: string): Partial<World> => ({
  isTerminal: () => true,
  ask: scriptedAsk({ [`Remove "glm" and its key from ${CONFIG}?`]: answer }).ask,
});

describe("ccc provider remove", () => {
  test("takes the key, the editor's link and the generated settings along, and says so", async () => {
    const own = { [`${GENERATED}/bin/ccc-glm`]: "", [`${GENERATED}/settings-glm.json`]: "" };
    const others = { [`${GENERATED}/bin/ccc-kimi`]: "", [`${GENERATED}/settings-kimi.json`]: "" };
    const found = await remove(["glm", "--yes"], {}, { ...own, ...others });
    expect(found).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: `ccc: removed "glm" from ${CONFIG}\nccc: removed its key from the keychain\n`,
      keys: ["kimi"],
    });
    expect(found.providers).toEqual({ kimi: KIMI });
    expect(found.files.list(GENERATED)).toEqual(["bin", "settings-kimi.json"]);
    expect(found.files.list(`${GENERATED}/bin`)).toEqual(["ccc-kimi"]);
  });

  test("warns of a key that the keychain does not give up", async () => {
    const keychain = { ...memoryKeychain(), remove: async () => Promise.reject(new Error("locked")) };
    const { exitCode, stderr } = await remove(["glm", "--yes"], { keychain });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('ccc: warning: its old key is still in the keychain, as "glm" of ccc: locked\n');
  });

  test("asks first, and Enter means no", async () => {
    expect(await remove(["glm"], atTerminal("yes"))).toMatchObject({ exitCode: 0, providers: { kimi: KIMI } });
    for (const answer of ["no", ""]) {
      const declined = await remove(["glm"], atTerminal(answer));
      expect(declined).toMatchObject({ exitCode: 130, providers: BOTH, keys: ["glm", "kimi"] });
      expect(declined.stderr).toContain("nothing was changed");
    }
  });

  test("removes nothing that nobody confirmed", async () => {
    const found = await remove(["glm"]);
    expect(found).toMatchObject({ exitCode: 2, providers: BOTH, keys: ["glm", "kimi"] });
    expect(found.stderr).toStartWith("ccc: not a terminal: pass --yes to remove it\n");
  });

  test("refuses the one that plain claude uses, and no other", async () => {
    const record = { version: 1, supervised: false, since: "", settings: "", original: null, states: [] };
    const used = { [`${GENERATED}/use.json`]: JSON.stringify({ ...record, provider: "glm" }) };
    const refused = await remove(["glm", "--yes"], {}, used);
    expect(refused).toMatchObject({ exitCode: 1, providers: BOTH, keys: ["glm", "kimi"] });
    expect(refused.stderr).toBe('ccc: plain claude uses "glm" (`ccc use`)\nUndo that first: ccc use --reset\n');
    expect((await remove(["kimi", "--yes"], {}, used)).providers).toEqual({ glm: GLM });
  });
});
