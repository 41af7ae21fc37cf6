import { describe, expect, test } from "bun:test";
import { chmod, cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CCC, newPlace, newSandbox, type Place, provider, settledIn } from "../harness.ts";
import { international, READMES, readme, splitCommand } from "../readme.ts";
import { fakeCcc, newReleases } from "../releases.ts";
import { newScreen, type Screen } from "../screen.ts";

const ROOT = join(import.meta.dir, "../..");

/** The remark on a command that cannot be run here. */
const NEEDS = /needs (a real provider|Homebrew|Windows)|需要 (真实的提供商|Homebrew|Windows)/;

const RELEASES = "https://github.com/ccc-cli/ccc/releases/";

/** In this order: each needs the ones before it. */
const IN_A_CLONE = [
  "npx -y bun@1.4.4 install --frozen-lockfile",
  "npx -y bun@1.4.4 run build",
  "mkdir -p ~/.local/bin && cp dist/ccc ~/.local/bin/",
  "npx -y bun@1.4.4 run demo",
];

type Commands = Readonly<Record<string, (command: string) => Promise<void>>>;

/** The commands with a provider, which differ in the Chinese README. */
const withNames = (glm: string, kimi: string): Commands => ({
  [`ccc ${glm}`]: (command) => onScreen(command, started),
  [`ccc --supervisor ${glm}`]: (command) =>
    onScreen(command, async (screen) => {
      await screen.shows("Supervisor mode enabled");
      await started(screen);
    }),
  [`ccc ${kimi} -p "explain this repo"`]: (command) => withProviders((place) => shell(place, command, "ok\n")),
  [`ccc --dry-run ${glm}`]: (command) => withProviders((place) => shell(place, command, `provider  ${glm} (named`)),
  [`ccc pin ${glm} --only`]: (command) => withProviders((place) => shell(place, command, `is pinned to ${glm} only`)),
  [`ccc provider add ${glm} --token-stdin < key.txt`]: (command) => adds(command, glm),
  [`ccc provider add ${kimi} --token-ref 'cmd:pass show kimi'`]: (command) => adds(command, kimi),
});

/** Every command in the READMEs, and its proof. */
const COMMANDS: Commands = {
  ...withNames("glm", "kimi"),
  ...Object.fromEntries(IN_A_CLONE.map((command) => [command, inClone])),
  "npx -y bun@1.4.4 run test": async (command) => {
    // CI runs this test with it.
    expect(await readFile(join(ROOT, ".ci/run"), "utf8")).toContain(command);
  },
  [`curl -fsSL ${RELEASES}latest/download/install.sh | sh`]: async (command) => {
    await using releases = newReleases();
    await using place = await newPlace();
    await releases.publish("1.2.3", fakeCcc("1.2.3"));
    await cp(join(ROOT, "install.sh"), join(place.project, "install.sh"));
    // The server has what the script downloads, but not the script itself.
    const local = `${command.replace(/^curl \S+ \S+/, "cat install.sh")} -s -- --prefix "$PREFIX"`;
    const env = { CCC_DOWNLOAD_BASE: releases.base, PREFIX: place.at("prefix") };
    await shell(place, local, "Installed ccc 1.2.3", env);
  },
  "ccc upgrade": async (command) => {
    await using place = await placeWithCcc();
    await shell(place, command, "was installed by hand", {}, 1);
  },
  "source <(ccc completions bash)": async (command) => {
    await using place = await placeWithCcc();
    await shell(place, `${command} && complete -p ccc`, "ccc");
  },
  "ccc provider add": (command) => onScreen(command, async (screen) => screen.shows("Provider (type to search)"), {}),
  ccc: (command) => onScreen(command, started),
  'ccc "fix the bug"': (command) => withProviders((place) => shell(place, command, "ok\n")),
  "ccc provider add anthropic": (command) =>
    withProviders((place) => shell(place, `${command} && ccc --dry-run anthropic`, "provider  anthropic")),
  "ccc provider add mine --base-url https://llm.example.com --model some-model --token-ref env:MY_KEY": (command) =>
    adds(command, "mine"),
};

const MAINLAND_COMMANDS = withNames("glm-cn", "kimi-cn");
/** The name matters only for ccc's own commands; launches are proven with the other names. */
const MAINLAND_PROOFS = Object.entries(MAINLAND_COMMANDS).filter(([command]) =>
  /^ccc (provider|--dry-run) /.test(command),
);

describe.each(READMES)("%s", (name) => {
  test("says how large the program is", async () => {
    const said =
      (await readFile(join(ROOT, name), "utf8"))
        .match(/(\d+) MB（?[^\n]{0,12}?(\d+) MB/)
        ?.slice(1)
        .map(Number) ?? [];
    const bytes = await Bun.file(CCC).bytes();
    const megabytes = [bytes.length, Bun.gzipSync(bytes).length].map((size) => size / 1_000_000);
    expect(said).toHaveLength(2);
    for (const [index, size] of megabytes.entries())
      expect(Math.abs((said[index] ?? 0) - size) / size).toBeLessThan(0.03);
  });

  test("has only commands that are run here or marked", async () => {
    const lines = (await readme(name)).blocks.filter(({ language }) => language === "sh").flatMap(({ lines }) => lines);
    const commands = lines.filter((line) => !NEEDS.test(line)).map((line) => splitCommand(line).command);
    expect(commands.map(international).toSorted()).toEqual(Object.keys(COMMANDS).sort());
    const chinese = name.includes("zh") ? Object.keys(MAINLAND_COMMANDS) : [];
    expect(commands).toEqual(expect.arrayContaining(chinese));
    // Only these cannot be run.
    expect(lines.filter((line) => NEEDS.test(line)).map((line) => splitCommand(line).command)).toEqual([
      "brew install ccc-cli/tap/ccc",
      `irm ${RELEASES}latest/download/install.ps1 | iex`,
    ]);
  });
});

describe("every command of the READMEs works as described", () => {
  test.each([...Object.entries(COMMANDS), ...MAINLAND_PROOFS])("%s", async (command, prove) => {
    await prove(command);
  });
});

async function placeWithCcc(): Promise<Place> {
  const place = await newPlace();
  await symlink(CCC, join(place.bin, "ccc"));
  return place;
}

async function withProviders(use: (place: Place) => Promise<void>): Promise<void> {
  await using sandbox = newSandbox();
  await using place = await placeWithCcc();
  await settledIn(place);
  const [glm, kimi] = [provider(sandbox, "key-of-glm"), provider(sandbox, "key-of-kimi")];
  await place.config({ providers: { glm, kimi, "glm-cn": glm, "kimi-cn": kimi } });
  await use(place);
}

async function run(place: Place, command: string, env: Record<string, string> = {}, cwd = place.project) {
  const options = { cwd, env: { ...place.env, ...env }, stdin: "ignore", stderr: "pipe" } as const;
  const child = Bun.spawn(["bash", "-c", command], options);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, text: stdout + stderr };
}

async function shell(place: Place, command: string, says: string, env: Record<string, string> = {}, exitCode = 0) {
  const result = await run(place, command, env);
  expect(result).toMatchObject({ exitCode });
  expect(result.text).toContain(says);
}

async function onScreen(command: string, see: (screen: Screen) => Promise<void>, config?: object): Promise<void> {
  await withProviders(async (place) => {
    if (config !== undefined) await place.config({ providers: {}, ...config });
    await using screen = newScreen(["bash", "-c", command], { cwd: place.project, env: place.env });
    await see(screen);
  });
}

/** Claude Code is waiting for a prompt. */
function started(screen: Screen): Promise<void> {
  return screen.shows(/^❯/m);
}

async function adds(command: string, name: string): Promise<void> {
  await using place = await placeWithCcc();
  await place.write(join(place.project, "key.txt"), "a-key-0123456789\n");
  await place.write(join(place.bin, "pass"), "#!/bin/sh\necho a-key-0123456789\n");
  await chmod(join(place.bin, "pass"), 0o755);
  await shell(place, `${command} && ccc provider list`, name, { MY_KEY: "a-key-0123456789" });
}

let clone: Promise<Map<string, { exitCode: number; text: string }>> | undefined;

async function inClone(command: string): Promise<void> {
  clone ??= runInClone();
  const result = (await clone).get(command);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result?.text).toContain(SAID[command] ?? "");
}

const SAID: Readonly<Record<string, string>> = {
  "npx -y bun@1.4.4 install --frozen-lockfile": "packages installed",
  "npx -y bun@1.4.4 run build": "dist/ccc: ccc ",
  "npx -y bun@1.4.4 run demo": "reviewer   done",
};

/** Runs them all in one clone, with the Bun that runs this test instead of npx. */
async function runInClone() {
  await using place = await newPlace();
  await Bun.$`git clone -q ${ROOT} ${place.at("clone")}`.quiet();
  await symlink(process.execPath, join(place.bin, "bun"));
  await place.write(join(place.bin, "npx"), '#!/bin/sh\nshift 2\nexec bun "$@"\n');
  await chmod(join(place.bin, "npx"), 0o755);
  const BUN_INSTALL_CACHE_DIR = (await Bun.$`${process.execPath} pm cache`.cwd(ROOT).text()).trim();
  const results = new Map<string, { exitCode: number; text: string }>();
  for (const command of IN_A_CLONE) {
    results.set(command, await run(place, command, { BUN_INSTALL_CACHE_DIR }, place.at("clone")));
  }
  expect(await Bun.file(place.at(".local/bin/ccc")).exists()).toBe(true);
  return results;
}
