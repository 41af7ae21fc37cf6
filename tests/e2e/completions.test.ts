import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CCC, newPlace, type Place } from "../harness.ts";

const config = { providers: { glm: {}, "glm-air": {}, kimi: {} } };

/** What bash offers for the last word of a command line. */
async function reply(place: Place, words: readonly string[]): Promise<string[]> {
  const ask = `source "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _ccc && printf '%s\\n' "\${COMPREPLY[@]}"`;
  const child = Bun.spawn(["bash", "--norc", "-c", ask, "bash", await script(place), ...words], {
    cwd: place.project,
    env: { ...place.env, PATH: `${dirname(CCC)}:${place.env.PATH}` },
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

async function script(place: Place): Promise<string> {
  const path = place.at("ccc.bash");
  const { stdout, exitCode } = await place.ccc(["completions", "bash"]);
  expect(exitCode).toBe(0);
  await place.write(path, stdout);
  return path;
}

describe("in bash", () => {
  const table: [words: string[], offers: string[]][] = [
    [
      ["ccc", "gl"],
      ["glm", "glm-air"],
    ],
    [
      ["ccc", "--engine", "=", ""],
      ["hook", "loop"],
    ],
    [["ccc", "--supervisor", "k"], ["kimi"]],
    [["ccc", "provider", "sh"], ["show"]],
    [["ccc", "provider", "show", "k"], ["kimi"]],
    [["ccc", "validate", "--a"], ["--all"]],
    // From here on, these come from claude.
    [["ccc", "glm", "--permission-m"], ["--permission-mode"]],
    [["ccc", "glm", "-p", "--permission-mode", "dont"], ["dontAsk"]],
    [["ccc", "--supervisor", "glm", "--effort", "=", "xh"], ["xhigh"]],
    [["ccc", "mcp", "add-f"], ["add-from-claude-desktop"]],
    [["ccc", "glm", "plugins", "marketplace", "rem"], ["remove"]],
    // An empty answer leaves files to bash.
    [["ccc", "glm", "no-such"], []],
  ];
  test("bash completes with what ccc offers", async () => {
    await using place = await newPlace();
    await place.config(config);
    for (const [words, offers] of table) expect([words, await reply(place, words)]).toEqual([words, offers]);
  });

  test("asks the ccc that was typed, however its path is quoted", async () => {
    await using place = await newPlace();
    await place.config(config);
    await copyFile(CCC, place.at("ccc"));
    const folder = join(place.home, "..", "with spaces");
    await place.write(join(folder, "note"), "");
    await copyFile(CCC, join(folder, "ccc"));
    const path = join(folder, "ccc");
    for (const typed of [`'${path}'`, `"${path}"`, path.replaceAll(" ", "\\ "), "~/ccc"]) {
      expect([typed, await reply(place, [typed, "wh"])]).toEqual([typed, ["why"]]);
    }
  });

  test("nothing typed is executed", async () => {
    await using place = await newPlace();
    await place.config(config);
    const mark = place.at("mark");
    await reply(place, ["ccc", `$(touch "${mark}")`, `\`touch "${mark}"\``, `; touch "${mark}"`]);
    await reply(place, ["ccc", `"$(touch '${mark}')`]);
    expect(existsSync(mark)).toBe(false);
  });

  test("a broken ccc.json prints nothing", async () => {
    await using place = await newPlace();
    await place.config("{ broken");
    expect(await reply(place, ["ccc", "wh"])).toEqual(["why"]);
    expect(await reply(place, ["ccc", "why", ""])).toEqual([]);
  });
});

describe("the script", () => {
  const checks = { bash: ["-n"], zsh: ["-n"], fish: ["-n"], powershell: undefined };
  for (const [shell, check] of Object.entries(checks)) {
    test(`for ${shell} asks ccc, registers itself${check && Bun.which(shell) ? ", and is accepted by that shell" : ""}`, async () => {
      await using place = await newPlace();
      const { stdout, stderr, exitCode } = await place.ccc(["completions", shell]);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(" completions complete ");
      expect(stdout).toMatch(/^(complete .*ccc|.*compdef _ccc ccc|Register-ArgumentCompleter .*ccc)/m);
      expect(stdout).toContain(`ccc completions ${shell}`);
      await place.write(place.at("script"), stdout);
      const program = Bun.which(shell);
      if (check === undefined || program === null) return;
      expect(Bun.spawnSync([program, ...check, place.at("script")]).exitCode).toBe(0);
    });
  }
  test("another shell is unsupported", async () => {
    await using place = await newPlace();
    expect(await place.ccc(["completions", "tcsh"])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining('unsupported shell "tcsh"'),
    });
  });
});
