import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { diskFiles } from "../../../../src/os/files.ts";
import { guardBash, parseShell } from "../../../../src/supervisor/guard/command-line.ts";
import { guardDisk } from "../../../../src/supervisor/guard/judge.ts";
import { Refusal } from "../../../../src/supervisor/guard/places.ts";
import { seenGitFolders } from "../../../../src/supervisor/guard/repository.ts";

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

  const places = { folders: [project], home: root, own: [], slug: undefined, files: [], gitFolders: [] };
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

  describe("a command sees the files that the guard looked at", () => {
    mkdirSync(join(project, "deep/a/b"), { recursive: true });
    mkdirSync(join(project, "sub"));
    mkdirSync(join(root, ".ssh"));
    for (const path of [".ssh/id_rsa", "p/sub/.env", "p/sub/x.ts", "p/HEAD:.env", "outside", "p/y.ts"])
      writeFileSync(join(root, path), "");
    symlinkSync("deep/a/b", join(project, "into"));
    for (const name of ["[x", "\u{1f600}", "\u00e9"]) symlinkSync(join(root, ".ssh"), join(project, name));
    test.each([
      ...["cd into/.. && cat ../outside", "cd into && cd .. && cat ../outside", "cd y.ts; cat ../outside"],
      ...["cd y.ts || cat ../outside", "cd sub || cd ..; cat ../../outside", "cd '' && ls", "cd missing && ls"],
      ...["cat ~/.ss[[:alpha:]]/id_rsa", "cat ~/.ss[]h]/id_rsa", "cat ~/.ss[!]a]/id_rsa", "cat '['*/id_rsa"],
      ...["cat ?/id_rsa", "cat ??/id_rsa", "grep -r KEY su*", "diff su* dee*", "git -C plain show HEAD*"],
      ...["git -C plain diff x ../../outside", "git -C sub -C ../plain diff x ../../outside"],
      ...["git -C plain blame --ignore-revs-file=../y.ts x", "git -C plain blame -wSx x", "git -C plain whatchanged"],
    ])("%s is refused", (line) => expect(() => guard(line)).toThrow(Refusal));
    test.each([
      ...["cd into && ls", "cd deep/a && cd .. && ls", "cd sub/../deep && cat a/x", "cd ./sub/ && cat x.ts ../y.ts"],
      ...["cat *.ts", "cat su*/[x-z].ts", "grep -n KEY su*/*.ts", "ls deep*", "wc -l ?.ts"],
      ...["git -C plain diff HEAD -- a.ts", "git -C plain log -S KEY", "git -C plain blame --ignore-rev=HEAD x"],
    ])("%s is allowed", (line) => expect(() => guard(line)).not.toThrow());
  });

  test("git is refused where its configuration cannot be read", () =>
    expect(() => guard("git -C broken status")).toThrow("git where it finds no repository that it can read"));

  test.each(["two\nlines", "lines\n"])("git is refused in a repository whose name has a line break: %j", (name) => {
    for (const options of [[], ["--bare"]]) {
      const cwd = join(project, `${name}${options.join("")}`, ...options);
      Bun.spawnSync(["git", "init", "-q", ...options, cwd], { env });
      expect(() => guardBash("git log", { cwd, places, machine, platform: process.platform }, env)).toThrow(
        "git where it finds no repository that it can read",
      );
    }
  });

  test.each([[], ["--bare"]])("a carriage return at the end of a name belongs to it: %j", (...options) => {
    const cwd = join(project, `returns${options.join("")}\r`);
    Bun.spawnSync(["git", "init", "-q", ...options, cwd], { env });
    expect(() => guardBash("git log", { cwd, places, machine, platform: process.platform }, env)).not.toThrow();
  });

  test("git is refused where its work tree is outside the project", () =>
    expect(() => guard("git -C elsewhere status")).toThrow(`not part of the project: ${root}`));

  describe("other repositories", () => {
    const git = (folder: string, ...args: string[]) => {
      const all = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always", ...args];
      expect(Bun.spawnSync(["git", ...all], { cwd: folder, env }).exitCode).toBe(0);
    };
    const at = (...parts: string[]) => join(project, ...parts);
    const other = join(root, "other");
    for (const top of [
      other,
      ...["alternate", "linked", "packs", "common", "modules", "gone", "bare"].map((name) => at(name)),
    ]) {
      git(root, "init", "-q", top);
      git(top, "commit", "-q", "--allow-empty", "-m", "one");
    }
    const objects = join(other, ".git/objects");
    mkdirSync(at("file"));
    writeFileSync(at("file/.git"), `gitdir: ${join(other, ".git")}\n`);
    symlinkSync(other, at("folder-link"));
    mkdirSync(at("link"));
    symlinkSync(join(other, ".git"), at("link/.git"));
    writeFileSync(at("alternate/.git/objects/info/alternates"), `# a remark\n${objects}\n`);
    rmSync(at("linked/.git/objects"), { recursive: true });
    symlinkSync(objects, at("linked/.git/objects"));
    rmSync(at("packs/.git/objects/pack"), { recursive: true });
    symlinkSync(join(objects, "pack"), at("packs/.git/objects/pack"));
    // A worktree of its own making: what it names is not its repository.
    mkdirSync(at("forged"));
    renameSync(at("common/.git"), at("common/git"));
    writeFileSync(at("common/git/commondir"), join(other, ".git"));
    writeFileSync(at("common/git/gitdir"), at("forged/.git"));
    writeFileSync(at("forged/.git"), `gitdir: ${at("common/git")}\n`);
    git(other, "worktree", "add", "-q", at("worktree"));
    git(at("modules"), "submodule", "--quiet", "add", other, "sub");
    writeFileSync(at("modules/.gitmodules"), '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tignore = none\n');
    git(at("gone"), "submodule", "--quiet", "add", other, "sub");
    git(at("gone"), "config", "--file", ".gitmodules", "submodule.sub.ignore", "none");
    git(at("gone"), "add", "-A");
    rmSync(at("gone/.gitmodules"));
    renameSync(at("bare/.git"), at("bare.git"));
    writeFileSync(at("bare.git/objects/info/alternates"), `"${objects.replace("o", "\\157")}"\n`);

    test.each([
      ...["file", "link", "alternate", "linked", "packs", "forged"].map((name) => [name, "git would read"]),
      ["folder-link", "not part of the project"],
      ["bare.git", "git would read"],
      ["missing", "git where it finds no repository"],
    ])("git is refused in %s, which leads to one", (name, why) =>
      expect(() => guard(`git -C ${name} log`)).toThrow(why),
    );

    test("a worktree of another repository is one of its own, and a submodule is in its repository", () => {
      for (const name of ["worktree", "modules/sub", "plain"]) expect(() => guard(`git -C ${name} log`)).not.toThrow();
    });

    test("a submodule that git would enter is refused, also if .gitmodules is only in the index", () => {
      const overrides = {
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "submodule.sub.ignore",
        GIT_CONFIG_VALUE_0: "dirty",
      };
      for (const name of ["modules", "gone"]) {
        expect(() => guard(`git -C ${name} status`)).toThrow("sets submodule.sub.ignore");
        expect(() => guard(`git -C ${name} status`, overrides)).not.toThrow();
      }
    });

    test("what the launch saw may be read, and nothing else", () => {
      const files = diskFiles(process.pid);
      for (const name of ["file", "link", "alternate", "linked", "packs", "bare.git"]) {
        const gitFolders = seenGitFolders(at(name), files);
        const seen = (line: string) =>
          guardBash(
            line,
            { cwd: project, places: { ...places, gitFolders }, machine, platform: process.platform },
            env,
          );
        if (name !== "bare.git") expect(() => seen(`git -C ${name} log`)).not.toThrow();
      }
      expect(seenGitFolders(at("plain"), files)).toEqual([at("plain/.git"), at("plain/.git/objects")]);
      mkdirSync(at("plain/deep"), { recursive: true });
      expect(seenGitFolders(at("plain/deep"), files)).toEqual([at("plain/.git"), at("plain/.git/objects")]);
      expect(seenGitFolders(join(root, "nowhere"), files)).toEqual([]);
    });
  });

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

describe("a shell line", () => {
  const HOME = "/home/u";
  const words = (line: string) => parseShell(line, HOME).map((command) => command.words.map(({ text }) => text));

  describe("a command line is parsed as a shell does", () => {
    const table: [line: string, commands: string[][]][] = [
      ["git diff", [["git", "diff"]]],
      ["  cat\ta.txt  ", [["cat", "a.txt"]]],
      [`cat 'a b' "c d" e\\ f`, [["cat", "a b", "c d", "e f"]]],
      [`cat a'b'"c"d`, [["cat", "abcd"]]],
      [`echo "a \\"b\\" \\$c \\d"`, [["echo", 'a "b" $c \\d']]],
      ["echo ''", [["echo", ""]]],
      ['grep "end$" x', [["grep", "end$", "x"]]],
      ["grep end$ x", [["grep", "end$", "x"]]],
      ["a | b && c || d; e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
      ["npm test 2>&1 | tail", [["npm", "test"], ["tail"]]],
      ["npm test >/dev/null 2>/dev/null &>/dev/null", [["npm", "test"]]],
      ["ls # and more\ncat x", [["ls"], ["cat", "x"]]],
      ["ls a#b", [["ls", "a#b"]]],
      ["ls \\\n  -l", [["ls", "-l"]]],
      ["cat ~/x ~", [["cat", "/home/u/x", "/home/u"]]],
      ["cat '~/x' a~b", [["cat", "~/x", "a~b"]]],
      ["find . -name x {}", [["find", ".", "-name", "x", "{}"]]],
      [
        "npm test; echo $?",
        [
          ["npm", "test"],
          ["echo", "$?"],
        ],
      ],
      ["", []],
    ];
    for (const [line, commands] of table) test(JSON.stringify(line), () => expect(words(line)).toEqual(commands));

    test("which commands are part of a pipe", () => {
      const piped = (line: string) => parseShell(line, HOME).map(({ isPiped }) => isPiped);
      expect(piped("a")).toEqual([false]);
      expect(piped("a | b; c && d")).toEqual([true, true, false, false]);
      expect(piped("a; b | c | d")).toEqual([false, true, true, true]);
    });

    test.each([
      ["echo $?", true],
      ['echo "code: $?"', true],
      ['echo "really?"', false],
      ["echo really?", false],
      ["echo '$?'", false],
    ])("whether the exit code is used: %s", (line, isUsed) =>
      expect(parseShell(line, HOME)[0]?.words.some(({ hasStatus }) => hasStatus)).toBe(isUsed),
    );

    test("wildcards, input files and pipes are recorded", () => {
      const [first, second] = parseShell("cat *.md '*' < in.txt | head", HOME);
      expect(first).toEqual({
        words: [
          { text: "cat", hasGlob: false, hasStatus: false },
          { text: "*.md", hasGlob: true, hasStatus: false },
          { text: "*", hasGlob: false, hasStatus: false },
        ],
        inputs: [{ text: "in.txt", hasGlob: false, hasStatus: false }],
        isPiped: true,
        isAlternative: false,
      });
      expect(second?.isPiped).toBe(true);
    });
  });

  describe("what shells could read differently is refused", () => {
    const lines = [
      ...[
        "cat $(x)",
        "cat `x`",
        'cat "$(x)"',
        'cat "`x`"',
        "cat $X",
        "cat ${X}",
        'cat "$X"',
        'cat "${X}"',
        "cat $1",
        "cat $@",
      ],
      ...[
        "cat $'a'",
        'cat $"a"',
        "cat $((1))",
        "cat $[1]",
        "cat <(x)",
        "cat >(x)",
        "(cat x)",
        "{ cat x; }",
        "cat {a,b}",
        "cat {1..3}",
      ],
      ...[
        "x > f",
        "x >> f",
        "x >| f",
        "x <> f",
        "x 2> f",
        "x &> f",
        "x >&f",
        "x <<E",
        "x <<<a",
        "x &",
        "x & y",
        "x |& y",
        "x >&1y",
        "x ;& y",
        "x ;&& y",
        "x < #y",
        "x &&& y",
        "cat a\u00a0b",
      ],
      ...[
        "cat ~root/x",
        "cat ~+",
        "ls # x; rm y",
        "ls #'",
        "cat a=~",
        "cat a=b:~",
        "cat a=b\\:~",
        "cat =ls",
        "cat 'open",
        'cat "open',
        "x >",
        "x <",
        "f() { x; }",
        "cat a\rb",
        "cat a\0b",
      ],
      ...["cat >/dev/null/../x", "x > /dev/null2", "cat \u0007", "cat $\\\nX", "cat a\\\nb", 'cat "a\\\nb"', "cat a\\"],
    ];
    for (const line of lines) test(JSON.stringify(line), () => expect(() => parseShell(line, HOME)).toThrow(Refusal));
  });

  test("property: what is accepted is parsed as bash does", () => {
    const piece = fc.constantFrom(
      ..."abc/.-~#!=:,+@%^",
      ...[" ", " ", "\t", "'", '"', "\\", "$", "\\\n", "*", "?", "[", "]", "{", "}", "{}", "''", '"a b"', "'$x'"],
    );
    const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    let compared = 0;
    fc.assert(
      fc.property(line, (text) => {
        let commands: ReturnType<typeof parseShell>;
        try {
          commands = parseShell(`: ${text}`, HOME);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        // Another line is another command.
        if (commands.length !== 1 || commands[0]?.words.some(({ hasStatus }) => hasStatus)) return;
        const script = `set -f; show() { printf '%s\\0' "$@"; }; (exit 0); show ${text}`;
        const { stdout, exitCode } = Bun.spawnSync(["bash", "-c", script], { env: { HOME }, stderr: "ignore" });
        const own = commands[0]?.words.slice(1).map(({ text: word }) => word) ?? [];
        expect([text, exitCode, stdout.toString()]).toEqual([
          text,
          0,
          `${(own.length === 0 ? [""] : own).join("\0")}\0`,
        ]);
        compared++;
      }),
      { numRuns: 1_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
