import { describe, expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Check } from "../../src/commands/doctor/live.ts";
import { fingerprint, newPlace, OTHER_CLAUDE, type Place, provider, settledIn } from "../harness.ts";

const TOKEN = "a-token-that-nobody-may-see";
const glm = { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: TOKEN } };

/** A home with a good setup. */
async function goodPlace(): Promise<Place> {
  const place = await newPlace();
  await place.config({ providers: { glm } });
  await chmod(place.at(".claude/ccc.json"), 0o600);
  await settledIn(place);
  await place.write(join(place.project, "SUPERVISOR.md"), "look for yourself");
  return place;
}

async function doctor(place: Place, env: Record<string, string> = {}) {
  const result = await place.ccc(["doctor", "--json"], { env });
  expect(result.stdout + result.stderr).not.toContain(TOKEN);
  const { ok, checks } = JSON.parse(result.stdout) as { ok: boolean; checks: Check[] };
  return { ...result, ok, checks, find: (name: string) => checks.find((check) => check.name === name) };
}

/** A stand-in for claude that only prints its version. */
const ONLY_A_VERSION = '[ "$1" = --version ] && echo "2.1.325 (Claude Code)"';

describe("ccc doctor", () => {
  test("passes on a good setup, shows that the supervisor works here, and changes nothing", async () => {
    await using place = await goodPlace();
    await place.config({ claude_args: ["--verbose"], providers: { glm } });
    const before = await fingerprint(place);
    const { ok, checks, exitCode } = await doctor(place);
    // The checkout may be in a temporary folder, the machine without a sandbox, and OTHER_CLAUDE a version outside the tested range.
    const unsure = ["ccc path", "sandbox", ...(OTHER_CLAUDE ? ["claude version"] : [])];
    expect(checks.filter(({ name, status }) => !unsure.includes(name) && status !== "ok")).toEqual([]);
    expect([ok, exitCode]).toEqual([true, 0]);
    expect(checks.map(({ name }) => name)).toEqual([
      "claude version",
      "ccc path",
      "ccc.json",
      "provider glm",
      "supervisor",
      "current provider",
      "pins",
      "presets",
      "ccc use",
      "conflicting variables",
      "hooks allowed",
      "folder trusted",
      "SUPERVISOR.md",
      "proof",
      "state folder",
      "ccc.json private",
      "locks",
      "temporary files",
      "recent reviews",
      "claude_args",
      "sandbox",
      "live: the Stop hook fires",
      "live: a block is obeyed",
      "live: a verdict is returned",
      "live: SUPERVISOR.md is seen",
    ]);
    expect(await fingerprint(place)).toBe(before);
    // What the check of claude_args looks for.
    expect((await place.ccc(["glm", "-p", "--nope"])).stderr).toMatch(/^error: unknown option '--nope'$/m);
  });

  const faults: [name: string, plant: (place: Place) => Promise<unknown>, status: Check["status"], says: string][] = [
    [
      "claude version",
      (place) => place.standIn('[ "$1" = --version ] && echo "1.0.50 (Claude Code)"'),
      "fail",
      "1.0.50 is too old",
    ],
    [
      "ccc.json private",
      (place) => chmod(place.at(".claude/ccc.json"), 0o644),
      "warn",
      "other users of this machine can read",
    ],
    ["ccc.json", (place) => place.config("{broken"), "fail", "is not valid JSON"],
    [
      "provider glm",
      (place) => place.config({ providers: { glm: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } } } }),
      "fail",
      "no ANTHROPIC_AUTH_TOKEN",
    ],
    [
      "provider glm",
      (place) => place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "file:/nowhere/key") } }),
      "fail",
      "no such file: /nowhere/key",
    ],
    [
      "ccc use",
      async (place) => {
        await place.ccc(["use", "glm"]);
        await place.write(place.at(".claude/settings.json"), {});
      },
      "warn",
      "settings.json no longer says",
    ],
    [
      "conflicting variables",
      (place) => place.write(join(place.project, ".claude/settings.json"), { env: { ANTHROPIC_API_KEY: TOKEN } }),
      "warn",
      "ANTHROPIC_API_KEY in",
    ],
    [
      "hooks allowed",
      (place) => place.write(place.at(".claude/settings.json"), { disableAllHooks: true }),
      "warn",
      "disableAllHooks in",
    ],
    ["folder trusted", (place) => place.write(place.at(".claude.json"), {}), "warn", "does not trust"],
    ["SUPERVISOR.md", (place) => writeFile(join(place.project, "SUPERVISOR.md"), " \n"), "warn", "is empty"],
    [
      "state folder",
      async (place) => {
        await mkdir(join(place.project, ".claude"));
        await writeFile(join(place.project, ".claude/ccc"), "a file in its place");
      },
      "warn",
      "is not writable",
    ],
    [
      "locks",
      (place) => writeFile(place.at(".claude/ccc.json.lock"), String(2 ** 22 + 1)),
      "warn",
      "left by processes that are gone",
    ],
  ];
  for (const [name, plant, status, says] of faults) {
    test(`reports a fault in: ${name}: ${says}`, async () => {
      await using place = await goodPlace();
      // The live checks have their own tests.
      await place.standIn(ONLY_A_VERSION);
      await plant(place);
      const { find, exitCode, ok } = await doctor(place);
      expect(find(name)).toMatchObject({ status, detail: expect.stringContaining(says) });
      expect(find(name)?.advice).not.toBe("");
      if (status === "fail") expect([exitCode, ok]).toEqual([1, false]);
    });
  }

  test("reports that the hook does not fire with a claude that does nothing", async () => {
    await using place = await goodPlace();
    await place.standIn(ONLY_A_VERSION);
    const { find, exitCode } = await doctor(place);
    expect(find("live: the Stop hook fires")).toMatchObject({ status: "fail" });
    expect(exitCode).toBe(1);
  });

  test("with --fix, fixes what is safe to fix, and says so", async () => {
    await using place = await goodPlace();
    await place.standIn(ONLY_A_VERSION);
    await chmod(place.at(".claude/ccc.json"), 0o644);
    await writeFile(place.at(".claude/ccc.json.lock"), String(2 ** 22 + 1));
    const { stdout } = await place.ccc(["doctor", "--fix"]);
    expect(stdout).toStartWith(`✓ fixed: ${place.at(".claude/ccc.json")} is now readable by you only\n`);
    expect(stdout).toContain(`✓ fixed: removed the lock ${place.at(".claude/ccc.json.lock")}\n`);
    expect(stdout).toContain("✓ ccc.json private: ");
    expect(stdout).toContain("✓ locks: none stale\n");
  });

  test("is readable as text, and reports an unknown provider", async () => {
    await using place = await goodPlace();
    await place.standIn(ONLY_A_VERSION);
    await place.write(place.at(".claude.json"), {});
    const { stdout } = await place.ccc(["doctor", "glm"]);
    expect(stdout).toContain("✓ provider glm: address and key are set\n");
    expect(stdout).toContain("! folder trusted: Claude Code does not trust");
    expect(stdout).toEndWith("\nTo test its tools and streaming: ccc validate glm --deep\n");
    expect(await place.ccc(["doctor", "kimi"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
