import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
const KEY = "sk-of-the-user-0123456789";
const env = {
  ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
  ANTHROPIC_AUTH_TOKEN: KEY,
  [OPUS]: "glm-4",
  API_TIMEOUT_MS: "9",
};
const noted = { env, preset: { name: "glm", as_of: "2026-01-01", env: { [OPUS]: "glm-4", API_TIMEOUT_MS: "1" } } };
const PROVIDERS = {
  noted,
  guessed: { env },
  other: { env: { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: KEY } },
};

async function update(args: string[], parts: Partial<World> = {}, before: object = PROVIDERS) {
  const content = { [CONFIG]: JSON.stringify({ providers: before }) };
  const { world, said, files } = fakeWorld({ argv: ["provider", "update", ...args], content, ...parts });
  const exitCode = await run(world);
  const { providers } = JSON.parse(files.read(CONFIG) ?? "");
  return { exitCode, ...said, providers, copies: files.list("/home/u/.claude/ccc/backups") };
}

const answering = (yes: boolean | undefined): Partial<World> => ({
  isTerminal: () => true,
  ask: { ...fakeWorld().world.ask, confirm: async (_, preset) => yes ?? preset },
});

describe("ccc provider update", () => {
  test("--check shows what differs, masks the key, changes nothing, and sets the exit code", async () => {
    const found = await update(["noted", "--check"]);
    expect(found).toMatchObject({ exitCode: 1, stderr: "", providers: PROVIDERS });
    expect(found.stdout).toMatch(/^noted: the preset glm has changed \(2026-01-01 → \d{4}-\d\d-\d\d\)$/m);
    expect(found.stdout).toMatch(/^ {2}~ +ANTHROPIC_DEFAULT_OPUS_MODEL +glm-4 → glm-\S+$/m);
    expect(found.stdout).toMatch(/^ {2}= +API_TIMEOUT_MS +9 stays, it is your own \(the preset has 3000000\)$/m);
    expect(found.stdout).not.toContain(KEY);
    const none = await update(["other", "--check"]);
    expect(none).toMatchObject({
      exitCode: 0,
      stdout: "other: not made from a preset, so there is nothing to update\n",
    });
  });

  test("--yes updates, keeps the key, the user's values and a copy of the file; then there is nothing left to do", async () => {
    const { exitCode, providers, stderr, copies } = await update(["noted", "--yes"]);
    expect({ exitCode, copies: copies.length }).toEqual({ exitCode: 0, copies: 1 });
    expect(stderr).toMatch(/^ccc: updated "noted" in \S+ccc\.json; the file as it was: \S+\/backups\/ccc-\S+\n/);
    expect(providers.noted.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: KEY, API_TIMEOUT_MS: "9" });
    expect(providers.noted.env[OPUS]).not.toBe("glm-4");
    const content = { [CONFIG]: JSON.stringify({ providers }) };
    const again = fakeWorld({ argv: ["provider", "update", "noted", "--check"], content });
    expect(await run(again.world)).toBe(0);
    expect(again.said.stdout).toContain("noted: up to date with the preset glm");
  });

  test("says from which preset and day, as far as that is known", async () => {
    const heading = async (provider: object) => {
      const { stdout } = await update(["glm", "--check"], {}, { glm: provider });
      return stdout.split("\n")[0];
    };
    const today = /\d{4}-\d\d-\d\d/.exec((await heading({ ...noted, preset: { name: "glm", env: {} } })) ?? "")?.[0];
    const of = (as_of?: string) => heading({ env, preset: { ...noted.preset, as_of } });
    expect(await of(today)).toBe(`glm: the preset glm has changed (${today})`);
    expect(await of()).toBe(`glm: the preset glm has changed (${today})`);
    expect(await heading({ env, preset: { ...noted.preset, name: "gone" } })).toBe(
      "glm: made from the preset gone, which this version of ccc does not have",
    );
    expect(await heading({ env })).toContain(
      "ccc cannot tell which values are your own: all that differ would change.",
    );
    const { providers } = await update(["guessed", "--yes"]);
    expect(await heading({ env: providers.guessed.env })).toBe(
      `glm: perhaps from the preset glm, which has the same server, and the same values (${today})`,
    );
  });

  test("--all --yes leaves guesses alone; by its name one is updated", async () => {
    const all = await update(["--all", "--yes"]);
    expect(all).toMatchObject({ exitCode: 0, providers: { guessed: PROVIDERS.guessed, other: PROVIDERS.other } });
    expect(all.stdout).toContain("guessed: perhaps from the preset glm");
    expect(all.stderr).toContain("ccc provider update guessed");
    const named = await update(["guessed", "--yes"]);
    expect(named.providers.guessed).toMatchObject({ env: { API_TIMEOUT_MS: "3000000" }, preset: { name: "glm" } });
  });

  test("on a terminal it asks", async () => {
    const declined = await update(["noted"], answering(false));
    expect(declined).toMatchObject({ exitCode: 130, providers: PROVIDERS });
    expect(declined.stderr).toContain("nothing was changed");
    expect((await update(["noted"], answering(undefined))).providers).not.toEqual(PROVIDERS);
    const agreed = await update(["--all"], answering(true));
    expect(agreed.exitCode).toBe(0);
    for (const name of ["noted", "guessed"]) expect(agreed.providers[name].preset.name).toBe("glm");
  });

  test("declining some of them is not an error, nor is having nothing to do", async () => {
    const answers = [true, false];
    const some = await update(["--all"], {
      isTerminal: () => true,
      ask: { ...fakeWorld().world.ask, confirm: async () => answers.shift() ?? false },
    });
    expect(some).toMatchObject({ exitCode: 0, providers: { guessed: PROVIDERS.guessed } });
    expect(some.providers.noted).not.toEqual(PROVIDERS.noted);
    expect(await update(["other"])).toMatchObject({ exitCode: 0, stderr: "", providers: PROVIDERS });
  });

  test.each([
    [["noted"], "pass --yes"],
    [["--all", "noted"], "--all cannot be combined with a provider"],
    [["noted", "--check", "--yes"], "--check cannot be combined with --yes"],
    [["gml"], "unknown provider"],
  ])("%j is a usage error", async (args, message) => {
    const found = await update(args);
    expect(found.stderr).toContain(message);
    expect(found).toMatchObject({ exitCode: 2, providers: PROVIDERS });
  });

  test("doctor warns of a provider that is behind its preset, and not of guesses", async () => {
    const { world, said } = fakeWorld({
      argv: ["doctor"],
      content: { [CONFIG]: JSON.stringify({ providers: PROVIDERS }) },
    });
    await run(world);
    const line = said.stdout.split("\n").findIndex((each) => each.includes("presets: noted: the preset has changed"));
    expect(
      said.stdout
        .split("\n")
        .slice(line, line + 2)
        .join(" "),
    ).toMatch(/^! presets: .*ccc provider update noted$/);
  });
});
