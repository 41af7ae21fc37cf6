import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardBash } from "../../../../src/supervisor/guard/command-line.ts";
import { guardDisk } from "../../../../src/supervisor/guard/judge.ts";

describe("bash guard", () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "ccc-bash-guard-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const project = join(root, "p");
  const env = { HOME: root, PATH: `${join(project, "bin")}:${process.env.PATH}` };
  mkdirSync(join(project, "bin"), { recursive: true });
  writeFileSync(join(project, "bin/tac"), "#!/bin/sh\n", { mode: 0o755 });
  for (const [name, config] of [
    ["plain", ""],
    ["filtered", '[filter "x"]\n\tclean = ./x\n'],
    ["elsewhere", `[core]\n\tworktree = ${root}\n`],
    ["broken", "[core\n"],
  ] as const) {
    Bun.spawnSync(["git", "init", "-q", join(project, name)], { env });
    appendFileSync(join(project, name, ".git/config"), config);
  }

  const places = { folders: [project], home: root, own: [], slug: undefined, transcript: undefined };
  const machine = guardDisk(process.platform, undefined);
  const guard = (line: string, overrides = {}) =>
    guardBash(line, { cwd: project, places, machine, platform: process.platform }, { ...env, ...overrides });

  test("git is allowed in a repository whose configuration names no program", () =>
    expect(() => guard("git -C plain status")).not.toThrow());

  test("git is refused where its configuration names a program, unless the environment overrides it", () => {
    expect(() => guard("git -C filtered status")).toThrow("whose configuration sets filter.x.clean");
    const overrides = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "filter.x.clean", GIT_CONFIG_VALUE_0: "" };
    expect(() => guard("git -C filtered status", overrides)).not.toThrow();
  });

  test("git is refused where its configuration cannot be read", () =>
    expect(() => guard("git -C broken status")).toThrow("git, since its configuration cannot be read"));

  test("git is refused where its work tree is outside the project", () =>
    expect(() => guard("git -C elsewhere status")).toThrow(`not part of the project: ${root}`));

  test("git grep is refused where it would search a tracked file with secrets", () => {
    for (const name of [".env.prod", "a.ts"]) writeFileSync(join(project, "plain", name), "KEY=1\n");
    Bun.spawnSync(["git", "add", "-A"], { cwd: join(project, "plain"), env });
    for (const line of ["git -C plain grep KEY", "cd plain && git grep KEY", "cd plain && git grep -- KEY"])
      expect(() => guard(line)).toThrow(".env.prod may contain secrets. Search a folder without it");
    for (const line of ["git -C plain grep KEY -- '*.ts'", "cd plain && git grep -e KEY -- . ':!.env.prod'"])
      expect(() => guard(line)).not.toThrow();
  });

  test("a program of the project with the name of a system program is refused", () => {
    expect(() => guard("tac bin/tac")).toThrow(`tac, which is a program of the project (${join(project, "bin/tac")})`);
    expect(() => guard("cat bin/tac")).not.toThrow();
  });
});
