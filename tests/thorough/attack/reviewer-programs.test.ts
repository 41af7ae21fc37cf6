import { expect, test } from "bun:test";
import { chmod, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "../../../src/text/shell.ts";
import { newPlace, type Place } from "../../harness.ts";
import { bash, tryTools, tryToolsAlone } from "./reviewer.ts";

/** Adds a program to the project that records that it ran; returns its name for a configuration. */
async function planted(place: Place, name: string): Promise<string> {
  const path = join(place.project, "planted", name);
  await place.write(path, `#!/bin/sh\necho "$0" >> ${shellWord(place.at(`ran-${name}`))}\ncat\n`);
  await chmod(path, 0o755);
  return shellWord(path);
}

const ran = async (place: Place) => (await readdir(place.home)).filter((name) => name.startsWith("ran-"));

const git = async (folder: string, ...args: string[]) => {
  const identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always"];
  expect(Bun.spawnSync(["git", ...identity, ...args], { cwd: folder }).exitCode).toBe(0);
};

/** A repository in which every read-only git command would run a program. */
async function plantRepository(place: Place, folder: string, mark: string) {
  await mkdir(folder, { recursive: true });
  await git(folder, "init", "-q");
  await place.write(
    join(folder, ".gitattributes"),
    "*.txt diff=d1 filter=f1\n*.bin diff=d2 filter=f2\n*.ext filter=f1\n",
  );
  for (const name of ["a.txt", "b.bin", "c.ext"]) await place.write(join(folder, name), `one of ${name}\n`);
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "one");
  for (const name of ["a.txt", "b.bin", "c.ext"]) await place.write(join(folder, name), `two of ${name}\n`);
  const program = (name: string) => planted(place, `${mark}-${name}`);
  const config = {
    "core.fsmonitor": await program("fsmonitor"),
    "core.pager": await program("pager"),
    "core.sshCommand": await program("ssh"),
    "diff.external": await program("external"),
    "diff.d1.command": await program("command"),
    "diff.d2.textconv": await program("textconv"),
    "filter.f1.clean": await program("clean"),
    "filter.f1.required": "true",
    "filter.f2.process": await program("process"),
    "filter.f2.required": "true",
    "gpg.program": await program("gpg"),
    "log.showSignature": "true",
  };
  for (const [key, value] of Object.entries(config)) await git(folder, "config", key, value);
  const hook = await program("hook");
  await place.write(join(folder, ".git/hooks/post-index-change"), `#!/bin/sh\nexec ${hook}\n`);
  await chmod(join(folder, ".git/hooks/post-index-change"), 0o755);
}

test("git runs no program from a repository's configuration, and still shows the changes", async () => {
  await using place = await newPlace();
  const commands = [
    ...["git status --short", "git diff", "git diff HEAD", "git diff --stat", "git log -p -1", "git show --stat"],
    ...["git blame a.txt", "git ls-files -m", "git grep -n two", "git describe --always --dirty", "git stash list"],
  ];
  const told = await tryToolsAlone(place, commands.map(bash), {
    plant: () => plantRepository(place, place.project, "own"),
  });
  expect(await ran(place)).toEqual([]);
  for (const name of ["a.txt", "b.bin", "c.ext"]) {
    expect(told[0]).toContain(`M ${name}`);
    expect(told[1]).toContain(`+two of ${name}`);
  }
  expect(told.slice(4, 6).join()).toContain("one");
  expect(told[6]).toContain("two of a.txt");
});

test("git runs no program from the configuration of a submodule or a nested repository", async () => {
  await using place = await newPlace();
  const sub = join(place.project, "sub");
  const other = join(place.project, "other");
  const commands = [
    ...["git status", "git diff", "git diff --submodule=diff", "git status --ignore-submodules=none"],
    ...["git -C other diff", "cd other && git status"],
  ];
  await tryToolsAlone(place, commands.map(bash), {
    plant: async () => {
      await git(place.project, "init", "-q");
      await plantRepository(place, join(place.home, "origin"), "origin");
      await git(place.project, "submodule", "--quiet", "add", join(place.home, "origin"), "sub");
      await git(place.project, "commit", "-qm", "sub");
      await git(sub, "config", "core.fsmonitor", await planted(place, "sub-fsmonitor"));
      await git(sub, "config", "filter.f1.clean", await planted(place, "sub-clean"));
      await git(sub, "config", "diff.d2.textconv", await planted(place, "sub-textconv"));
      await place.write(join(sub, "a.txt"), "own of a.txt\n");
      await place.write(join(sub, "b.bin"), "two of b.bin\n");
      await plantRepository(place, other, "other");
      for (const name of await ran(place)) await Bun.$`rm ${place.at(name)}`.quiet();
    },
  });
  expect(await ran(place)).toEqual([]);
});

test("git enters no submodule, whatever is configured, and reads no other repository that the agent points it to", async () => {
  await using place = await newPlace();
  const { project } = place;
  const sub = join(project, "sub");
  const other = place.at("other");
  for (const folder of [project, other]) {
    await mkdir(folder, { recursive: true });
    await git(folder, "init", "-q");
  }
  await place.write(join(other, "x.txt"), "SECRET of another repository\n");
  await git(other, "add", "-A");
  await git(other, "commit", "-qm", "SECRET commit");
  await place.write(join(project, "a.txt"), "one\n");
  await git(project, "add", "-A");
  await git(project, "commit", "-qm", "first");
  const secret = (await Bun.$`git -C ${other} rev-parse HEAD:x.txt`.text()).trim();
  const plant = async () => {
    await plantRepository(place, place.at("origin"), "origin");
    await git(project, "submodule", "--quiet", "add", place.at("origin"), "sub");
    await git(project, "config", "--file", ".gitmodules", "submodule.sub.ignore", "none");
    await git(project, "add", "-A");
    await git(project, "commit", "-qm", "sub");
    // Git then takes it from the index.
    await Bun.$`rm ${join(project, ".gitmodules")}`;
    await place.write(join(sub, "b.bin"), "two of b.bin\n");
    const program = await planted(place, "sub");
    for (const key of ["core.fsmonitor", "diff.external", "diff.d2.textconv", "filter.f2.clean", "gpg.program"])
      await git(sub, "config", key, program);
    await git(project, "config", "status.submoduleSummary", "true");
    await git(project, "config", "diff.submodule", "diff");
    await git(project, "worktree", "add", "-q", join(project, "tree"));
    await place.write(join(project, "file/.git"), `gitdir: ${join(other, ".git")}\n`);
    await git(project, "init", "-q", "shared");
    await place.write(join(project, "shared/.git/objects/info/alternates"), `${join(other, ".git/objects")}\n`);
    await mkdir(join(project, "link"));
    await symlink(join(other, ".git"), join(project, "link/.git"));
    for (const name of await ran(place)) await Bun.$`rm ${place.at(name)}`.quiet();
  };
  const commands = [
    ...["git status", "git diff", "git diff HEAD", "git log -p -2", "git show --stat", "git diff-files -p"],
    ...["git diff-index -p HEAD", "git describe --always --dirty", "git log --format=%G? -1", "git -C sub status"],
    ...[
      "git -C file log -p",
      `git -C shared cat-file -p ${secret}`,
      "cd link && git log -p",
      "git -C tree log --oneline",
    ],
  ];
  const [told = []] = await tryTools(place, commands.map(bash), ["session"], { plant });
  expect(await ran(place)).toEqual([]);
  expect(told.join()).not.toContain("SECRET");
  expect(told[3]).toContain("+one");
  for (const [index, command] of commands.entries())
    if (/ (file|shared) |link/.test(command))
      expect([command, told[index]]).toEqual([command, expect.stringContaining("git would read")]);
  expect(told.at(-1)).toContain("first");
});

test("no command sets a variable for the next one, or runs a command in the name of a variable", async () => {
  await using place = await newPlace();
  await Bun.$`git init -q ${place.project}`;
  for (const name of ["ls", "git"]) await planted(place, name);
  await place.write(place.at(".ssh/id_rsa"), "SECRET of ssh\n");
  const run = `a[$(touch ${shellWord(place.at("ran-substitution"))})]`;
  const refused = [
    "printf -v GIT_CONFIG_VALUE_0 %s 'cat ~/.ssh/id_rsa > leaked.txt; true'; git status; cat leaked.txt",
    "printf -vPATH %s planted; ls",
    "CI=1 printf -v PATH %s planted && ls | cat",
    `printf -v ${shellWord(run)} x`,
    `printf 'x%n' ${shellWord(run)}`,
    `printf %d ${shellWord(run)}`,
    `test -v ${shellWord(run)}`,
    `test ! -v ${shellWord(run)} && ls`,
    `test ${shellWord(run)} -eq 1`,
    "stat -A PATH planted; ls",
    "printf *",
  ];
  const allowed = ["printf '%s: %5s\\n' one two", "test -d planted && test 2 -gt 1 && echo both"];
  const told = await tryToolsAlone(place, [...refused, ...allowed].map(bash));
  expect(await ran(place)).toEqual([]);
  expect(await readdir(place.project)).not.toContain("leaked.txt");
  for (const [index, command] of refused.entries())
    expect([command, told[index]]).toEqual([command, expect.stringContaining("not part of a review")]);
  expect(told.slice(refused.length).join()).toMatch(/one: {3}two.*both/);
});

test("no option of a command and no variable of the project can choose another program, and a single test file can still be run", async () => {
  await using place = await newPlace();
  const inProject = (name: string) => join(place.project, "planted", name);
  for (const name of ["bash", "prefix", "diff", "shell", "git"]) await planted(place, name);
  // As the hook gets them; the agent's own session does not matter here.
  const env = {
    BASH_ENV: inProject("bash"),
    CLAUDE_CODE_SHELL_PREFIX: inProject("prefix"),
    GIT_EXTERNAL_DIFF: inProject("diff"),
    npm_config_script_shell: inProject("shell"),
    SHELL: inProject("bash"),
    PATH: `${join(place.project, "planted")}:${place.env.PATH}`,
  };
  await Bun.$`git init -q ${place.project}`;
  const evil = ["npm", "go", "cargo", "pytest", "bun", "node", "make"];
  const at = Object.fromEntries(await Promise.all(evil.map(async (name) => [name, await planted(place, name)])));
  await place.write(join(place.project, "conftest.py"), "");
  await place.write(join(place.project, "tests/one.test.js"), "");
  await place.write(join(place.project, "package.json"), {
    scripts: { test: "echo THE-TESTS-RAN", "test:unit": "echo UNIT" },
  });
  const refused = [
    `npm test --script-shell=${at.npm}`,
    `npm test --script-shell ${at.npm}`,
    `npm_config_script_shell=${at.npm} npm test`,
    `npm test -- --reporter=${at.npm}`,
    `npm --prefix planted test`,
    `go test -exec ${at.go} ./...`,
    `go vet -vettool=${at.go} ./...`,
    `cargo test --config target.x.runner=${at.cargo}`,
    `pytest -p planted.x`,
    `pytest -c planted/pytest.ini`,
    `pytest --rootdir=planted`,
    `python3 -m pytest --junitxml=out.xml`,
    `bun test --preload ${at.bun}`,
    `node --test --import ${at.node}`,
    `node --test --test-reporter=${at.node}`,
    `make test SHELL=${at.make}`,
    `make -f planted/Makefile test`,
    `GIT_EXTERNAL_DIFF=${at.npm} git diff`,
    `git -c core.fsmonitor=${at.npm} status`,
    `git grep -O${at.npm} x`,
    `find . -exec ${at.npm} {} +`,
    `grep --filter='*:${at.npm}' x package.json`,
    `sort --compress-program=${at.npm} package.json`,
    `${at.npm}`,
    "npm test; touch made",
    "npm test > made",
    "sort package.json -o made",
    "git diff --output=made",
  ];
  const allowed: [command: string, says: string][] = [
    ["npm test tests/one.test.js", "tests/one.test.js"],
    ["npm test -- tests/one.test.js 2>&1 | tail -2", "tests/one.test.js"],
    ["npm run test:unit", "UNIT"],
    ["npm test", "THE-TESTS-RAN"],
    ["git diff", ""],
  ];
  const told = await tryToolsAlone(place, [...refused, ...allowed.map(([command]) => command)].map(bash), { env });
  expect(await ran(place)).toEqual([]);
  expect(await readdir(place.project)).not.toContain("made");
  for (const [index, command] of refused.entries())
    expect([command, told[index]]).toEqual([command, expect.stringContaining("not part of a review")]);
  for (const [index, [command, says]] of allowed.entries()) {
    const answer = told[refused.length + index];
    expect([command, answer]).toEqual([command, expect.stringContaining(says)]);
    expect(answer).not.toContain("not part of a review");
  }
});
