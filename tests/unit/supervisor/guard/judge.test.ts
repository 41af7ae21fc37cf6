import { describe, expect, test } from "bun:test";
import { normalize } from "node:path";
import fc from "fast-check";
import { readToolEvent, toolAnswer } from "../../../../src/claude/quick-events.ts";
import { checkBash, type Machine } from "../../../../src/supervisor/guard/command-line.ts";
import { judgeEvent } from "../../../../src/supervisor/guard/judge.ts";
import { Refusal } from "../../../../src/supervisor/guard/places.ts";

describe("judge", () => {
  const PROJECT = "/home/u/p";
  const SLUG = "-home-u-p";

  /** All files, with the targets of links. */
  const FILES: Record<string, string | undefined> = Object.fromEntries(
    [
      "/home/u/.claude/projects/x/reviewed.jsonl",
      "/tmp/ccc-1/prompts.md",
      ...["/", "/etc/passwd", "/etc/shadow", "/usr/include/stdio.h", "/dev/null", "/proc/1/environ"],
      ...[
        "/home/u/.ssh/id_rsa",
        "/home/u/.claude/ccc.json",
        "/home/u/.claude.json",
        "/home/u/other/x.txt",
        "/home/u/given/y",
      ],
      ...[`/home/u/.claude/projects/${SLUG}/s1/tool-results/b1.txt`, `/home/u/.claude/projects/${SLUG}/s1.jsonl`],
      ...[`/tmp/claude-1000/${SLUG}/s1/tasks/t.output`, "/tmp/claude-1000/-home-u-q/s1/tasks/t.output", "/tmp/x"],
      ...[`${PROJECT}/package.json`, `${PROJECT}/src/a.ts`, `${PROJECT}/src/b.test.ts`, `${PROJECT}/tests/one.py`],
      ...[
        `${PROJECT}/.env`,
        `${PROJECT}/conf/.env.example`,
        `${PROJECT}/conf/.env.production`,
        `${PROJECT}/tls/server.key`,
        `${PROJECT}/deep/inner/.env`,
        `${PROJECT}/flat/inner/a.ts`,
      ],
      ...[`${PROJECT}/.git/config`, `${PROJECT}/nested/.git/config`, `${PROJECT}/lib/c.ts`],
      ...[`${PROJECT}/-u`, `${PROJECT}/nested/node_modules/p/test.key`],
    ].map((path) => [path, undefined]),
  );
  const LINKS: Record<string, string> = {
    [`${PROJECT}/notes`]: "/home/u/.ssh/id_rsa",
    [`${PROJECT}/away`]: "/home/u/other",
    [`${PROJECT}/-z`]: "/home/u/.ssh/id_rsa",
    [`${PROJECT}/--z=x`]: "/home/u/.ssh/id_rsa",
  };
  const isFolder = (path: string) =>
    Object.keys(FILES).some((each) => each.startsWith(path === "/" ? "/" : `${path}/`));

  function realPath(path: string): string | undefined {
    const clean = normalize(path).replace(/(?<=.)\/$/, "");
    for (const [link, to] of Object.entries(LINKS)) {
      if (clean === link || clean.startsWith(`${link}/`)) return realPath(to + clean.slice(link.length));
    }
    return clean in FILES || isFolder(clean) ? clean : undefined;
  }

  const machine: Machine = {
    realPath,
    list: (folder) => {
      const base = folder === "/" ? "/" : `${realPath(folder) ?? folder}/`;
      const below = [...Object.keys(FILES), ...Object.keys(LINKS)].filter((path) => path.startsWith(base));
      const names = new Set(below.map((path) => path.slice(base.length).split("/")[0] ?? ""));
      return [...names].map((name) => ({ name, isFolder: isFolder(base + name) && !(base + name in LINKS) }));
    },
    program: (name) => (name === "tac" ? `${PROJECT}/bin/tac` : `/usr/bin/${name}`),
    tracked: (_, paths) => (paths.includes("src") || paths.includes(":!.env.prod") ? ["src/a.ts"] : [".env.prod"]),
    repository: (folder) => {
      if (folder.includes("/broken")) return undefined;
      const keys = folder.includes("/nested") ? ["core.bare", "filter.x.clean"] : ["core.bare", "diff.d.textconv"];
      return { keys, moduleKeys: () => [], folders: [`${PROJECT}/.git`], top: PROJECT };
    },
    read: () => undefined,
    isPipe: () => false,
  };

  interface Situation {
    readonly cwd: string;
    readonly folders: readonly string[];
    readonly home: string;
    readonly transcriptPath: string | undefined;
    readonly machine: Machine;
    readonly platform: NodeJS.Platform;
  }
  const SITUATION: Situation = {
    cwd: PROJECT,
    folders: [PROJECT, "/home/u/given"],
    home: "/home/u",
    transcriptPath: `/home/u/.claude/projects/${SLUG}/s1.jsonl`,
    machine,
    platform: "linux",
  };
  const OVERRIDDEN = new Set(["core.fsmonitor", "diff.d.textconv"]);

  const judge = (tool_name: string, tool_input: object, parts: Partial<Situation> = {}) => {
    const { cwd, folders, home, transcriptPath, machine, platform } = { ...SITUATION, ...parts };
    const event = { tool_name, tool_input, cwd, transcript_path: transcriptPath };
    const env = {
      HOME: home,
      USERPROFILE: home,
      CCC_REVIEW_FOLDERS: JSON.stringify(folders),
      CCC_REVIEW_FILES: '["/home/u/.claude/projects/x/reviewed.jsonl","/tmp/ccc-1/prompts.md"]',
    };
    return judgeEvent(JSON.stringify(event), env, platform, machine, () => ({
      guardBash: (line, context) => checkBash(line, { ...context, machine, overridden: OVERRIDDEN }),
    }));
  };
  const bash = (command: string, parts: Partial<Situation> = {}) => judge("Bash", { command }, parts);

  describe("tools besides Bash", () => {
    test.each([
      ["Read", { file_path: "/home/u/.claude/projects/x/reviewed.jsonl" }],
      ["Read", { file_path: "/tmp/ccc-1/prompts.md" }],
      ["LS", { path: "src" }],
      ["ToolSearch", { query: "select:Agent" }],
      ["StructuredOutput", { completed: true }],
    ])("%s %j is allowed", (tool, input) => expect(judge(tool, input)).toBeUndefined());
    test.each([
      ["Read", { file_path: "/home/u/.claude/projects/x/other.jsonl" }],
      ["LS", { path: "/home/u/.ssh" }],
      ["Agent", {}],
      ["Workflow", {}],
      ["AskUserQuestion", {}],
      ["mcp__files__write", { path: "src/a.ts" }],
      ["ANewTool", {}],
    ])("%s %j is refused", (tool, input) => expect(judge(tool, input)).toContain("not part of"));
  });

  describe("a search of a folder", () => {
    test("is refused if a folder below it has secrets, and only then", () => {
      expect(bash("grep -r x flat")).toBeUndefined();
      for (const command of ["grep -r x deep", "grep -r x deep/inner"])
        expect(bash(command)).toContain("deep/inner/.env may contain secrets");
    });
    test("leaves out installed packages and, with Claude Code's own grep, .git", () => {
      expect(bash("grep -r x nested")).toBeUndefined();
      for (const command of ["egrep -r x nested", "fgrep -r x nested", "timeout 5 grep -r x nested"])
        expect(bash(command)).toContain("nested/.git/config may contain secrets");
    });
    test("may see 20,000 files, and a wildcard may stand for 2,000", () => {
      const withFiles = (count: number) => {
        const entries = Array.from({ length: count }, (_, index) => ({ name: `${index}`, isFolder: false }));
        const list = (folder: string) => (folder === `${PROJECT}/src` ? entries : []);
        return { machine: { ...machine, list, realPath: (path: string) => path } };
      };
      expect(bash("grep -r x src", withFiles(20_000))).toBeUndefined();
      expect(bash("grep -r x src", withFiles(20_001))).toMatch(/src has too many files: search a subfolder/);
      expect(bash("cat src/*", withFiles(2_000))).toBeUndefined();
      expect(bash("cat src/*", withFiles(2_001))).toContain("src/*, which stands for too many files");
    });
    test("may be behind 100 letters of options, each of which may begin a path", () => {
      expect(bash(`grep -${"n".repeat(101)} x src/a.ts`)).toBeUndefined();
      expect(bash(`grep -${"n".repeat(102)} x src/a.ts`)).toContain("a value behind more than 100 letters of options");
    });
  });

  describe("commands that a reviewer may run", () => {
    const commands = [
      ...[
        "git status",
        "git diff",
        "git diff HEAD~2 -- src",
        "git log --oneline -5 --stat",
        "git show HEAD:conf/.env.example",
        "git show a-branch:src/a.ts",
        "git log -L1,5:src/a.ts",
        "git log --grep 'fix: it'",
        "git blame src/a.ts",
      ],
      ...[
        "git --no-pager diff --text",
        "git -C src log",
        "git branch -a",
        "git branch",
        "git tag -l",
        "git stash list",
        "git stash show -p",
      ],
      ...[
        "git log -S 'Old' -p",
        "git log -p -- . ':!.env' ':(exclude,icase)*.pem'",
        "git grep -n obj.key -- src",
        "git grep -n 'signature %G' -- src",
        "git grep -n foo -- . ':!.env.prod'",
        "git grep -n foo -- src",
        "git rev-parse --git-dir",
        "git diff --output-indicator-new=x",
        "git",
      ],
      ...[
        "cat package.json",
        "cat src/*.ts",
        "ls",
        "ls .",
        "wc -l .",
        "head -20 src/a.ts",
        "tail -n +5 src/a.ts",
        "cat package.json | head -2 | wc -l",
      ],
      ...[
        "grep -rn foo src",
        "grep -n /api/users src/a.ts",
        "grep -A3 -e foo src/a.ts",
        "grep -c '' package.json",
        "grep -rn foo src --include='*.ts'",
        "grep -3 foo src/a.ts",
        "git log --grep=api/",
      ],
      ...[
        "ls",
        "ls -la src",
        "stat -c %s package.json",
        "find . -name '*.ts' -type f",
        "find src \\( -name a -o -name b \\) -print",
        "wc -l src/a.ts",
      ],
      ...[
        "sed -n '1,40p' src/a.ts",
        "sed -n '1p;$p' src/a.ts",
        "sort -u package.json",
        "ls | sort -k2,2 -t: | uniq -c",
        "diff -u src/a.ts src/b.test.ts",
      ],
      ...[
        "cd src && cat a.ts ../package.json",
        "cd src; ls",
        "cat < package.json",
        "pwd",
        "which node",
        "test -f src/a.ts && cat src/a.ts",
      ],
      ...[
        "npm test",
        "npm run test",
        "npm test src/b.test.ts",
        "npm test -- src/b.test.ts",
        "npm test -- --run",
        "npm run test:unit",
        "pnpm test",
      ],
      ...[
        "CI=1 npm test",
        "timeout 120 npm test 2>&1 | tail -30",
        "npm test; echo $?",
        'npm test; echo "exit: $?"',
        "cd lib && npm test",
      ],
      ...[
        "npx vitest run src/b.test.ts -t 'a name'",
        "npx jest src",
        "bun test src/b.test.ts",
        "bun test -t 'a name'",
        "node --test src/b.test.ts",
      ],
      ...[
        "pytest",
        "pytest -q -x tests/one.py::test_a",
        "pytest -k 'a and b' tests",
        "python3 -m pytest tests/one.py -vv --tb=short",
        "python -m unittest -v tests.one",
      ],
      ...[
        "go test ./...",
        "go test -race -run TestA ./src/...",
        "go test -count=1 ./src",
        "go vet ./...",
        "cargo test",
        "cargo test name -- --nocapture",
        "cargo test -p x --lib",
      ],
      ...[
        "make test",
        "deno test -A src",
        "rspec tests/one.py:12",
        "npx tsc --noEmit",
        "ctest --output-on-failure",
        "cat /usr/include/stdio.h",
        "cat /home/u/given/y",
      ],
      ...[
        "cat /dev/null",
        `cat /home/u/.claude/projects/${SLUG}/s1/tool-results/b1.txt`,
        `tail /tmp/claude-1000/${SLUG}/s1/tasks/t.output`,
      ],
      ...[
        "printf 'done\\n'",
        "printf -- '--- %5s %-3s %.2s 100%%' a b c",
        "printf '%s %b\\n' -v PATH",
        'npm test; printf "exit: %s" "$?"',
        "test ! -e src/x -a -s package.json",
        "test src/a.ts -nt package.json",
        "test 2 -gt -1 && test a '=' b",
        "stat -f %z package.json",
        "stat -L -c '%s %n' src",
        "python3 -m unittest tests.one.Case.test_a",
      ],
      ...["ls src # and a remark", "cat conf/.env.example", "echo --- && cat src/a.ts", "printf '%s\\n' --x"],
    ];
    for (const command of commands) test(command, () => expect(bash(command)).toBeUndefined());
  });

  describe("commands that a reviewer may not run", () => {
    const commands = [
      ...[
        "rm -rf x",
        "touch x",
        "node x.js",
        "bash -c ls",
        "sh x",
        "env",
        "printenv",
        "xargs cat",
        "tee x",
        "awk 1",
        "jq env",
        "curl x",
        "ln -s a b",
      ],
      ...[
        "'npm test'",
        "'./gradlew test'",
        "npm install",
        "npm run build",
        "npm run lint:fix",
        "npm run test:update",
        "npm run deploy",
        "npm exec x",
        "npm exec test",
        "uv run test",
        "npx x",
        "make",
        "make test deploy",
        "make test src",
        "make -f x test",
      ],
      ...[
        "npm test --script-shell=./x",
        "npm test --script-shell ./x",
        "npm test -- --reporter=./x",
        "npm test deploy",
        "npm --prefix src test",
        "npm test -w x",
      ],
      ...[
        "PATH=. git status",
        "GIT_EXTERNAL_DIFF=./x git diff",
        "CI=1",
        "CI=$X npm test",
        "NODE_OPTIONS=x npm test",
        "timeout -s KILL 3 npm test",
        "timeout 3 node x",
        "timeout x npm test",
        "rm 5 cat src/a.ts",
      ],
      ...[
        "go test -exec ./x ./...",
        "go test -toolexec=./x",
        "go test -o x",
        "go test -coverprofile=x",
        "go test ../...",
        "go vet -vettool=./x",
        "go run .",
      ],
      ...[
        "cargo test --config x=y",
        "cargo test --manifest-path x",
        "cargo run",
        "cargo +nightly test",
        "pytest -p x",
        "pytest -c x",
        "pytest --rootdir=src",
        "pytest -o x=y",
      ],
      ...[
        "python -m pytest --junitxml=x",
        "python x.py",
        "python -m http.server",
        "bun test --preload ./x",
        "bun test -u",
        "bun x",
        "node --test --import ./x",
        "deno run x",
      ],
      ...[
        "npx jest --config x",
        "npx vitest run --config x",
        "npx tsc --noEmit -p x",
        "ctest -S x",
        "dotnet test --logger x",
        "rake test x",
      ],
      ...[
        "git commit -m x",
        "git checkout .",
        "git -c core.pager=x log",
        "git --exec-path=. status",
        "git --git-dir=x log",
        "git config -l",
        "git remote -v",
        "git fetch",
      ],
      ...[
        "git diff-files",
        "git diff-index HEAD",
        "git log --format=%G?",
        "git log '--pretty=format:%h %GK'",
        "git for-each-ref '--format=%(signature:grade)'",
        "git tag --sort=signature",
        "git for-each-ref --sort signature",
        "git show '--pretty=%GF'",
        "git diff --output=x",
        "echo HEAD:.env | git cat-file --batch",
        "git cat-file --batch-all-objects --batch='%(rest)'",
        "echo contents HEAD:.env | git cat-file --batch-command",
        "echo HEAD:.env | git show --stdin",
        "git diff --outp=x",
        "git show --remerge-diff HEAD",
        "git log --diff-merges=remerge -p",
        "git log --alternate-refs",
        "git diff --ext-diff",
        "git log --textconv",
        "git diff --no-index a b",
        "git grep -O./x foo",
        "git grep -nO./x foo",
      ],
      ...[
        "git grep --open=./x foo",
        "git grep --untracked foo",
        "git branch new",
        "git branch -D x",
        "git tag x",
        "git tag -d x",
        "git stash",
        "git stash drop",
        "git reflog expire",
      ],
      ...[
        "git diff --submodule=diff",
        "git status --ignore-submodules=none",
        "git cat-file --filters HEAD:x",
        "git log --show-signature",
        "git archive HEAD",
        "git st",
      ],
      ...["git -C nested diff", "cd nested && git status", "git -C broken status"],
      ...[
        "printf -v PATH %s bin; ls",
        "printf -vPATH %s bin; ls",
        "printf '-v' PATH bin",
        "CI=1 printf -v PATH x",
        "printf -x",
        "printf --version",
        "printf 'a%n' PATH",
        "printf -- '%n' PATH",
        "printf '%1$s' a",
        "printf '%*s' 'a[1]' b",
        "printf '%.*s' 'a[1]' b",
        "printf %d 'a[$(x)]'",
        "printf '%(%s)T' 1",
        "printf '%q' a",
        'printf "%$?" PATH',
        "printf %",
        "printf *",
        "CI=1 printf src/*",
      ],
      ...[
        "test -v 'a[$(x)]'",
        "test ! -v x",
        "test -f x -a -v y",
        "test -R x",
        "test -t 1",
        "test 'a[$(x)]' -eq 1",
        "test 1 -lt x",
        "test -eq",
        "stat -A PATH src",
        "stat -H x src",
        "stat -LA PATH src",
        "cd +1",
      ],
      ...[
        "npx jest -t --outputFile=x",
        "bun test -t --preload=./x",
        "pytest -k -p",
        "go test -run -exec=./x",
        "ctest -j -S",
        "python -m unittest http.server.test",
        "python3 -m unittest antigravity",
        "python3 -m unittest tests..one",
      ],
      ...[
        "find . -exec ./x {} +",
        "find . -delete",
        "find . -fprint x",
        "find -L . -name x",
        "find . -rm",
        "sed -i s/a/b/ src/a.ts",
        "sed -n 'w x' src/a.ts",
        "sed -n '1e ls' src/a.ts",
        "sed p src/a.ts",
      ],
      ...[
        "sort -o x package.json",
        "sort -uo x package.json",
        "sort --compress-program=./x package.json",
        "uniq package.json x",
        "grep -R foo .",
        "grep --filter='*:./x' foo src",
        "grep --view=./x foo src",
      ],
      ...[
        "wc --files0-from=src/a.ts",
        "diff -r src lib",
        "diff src lib",
        "diff src package.json",
        "tac src/a.ts",
        "npm test > x",
        "npm test &",
        "ls | cd src",
        "ls; cd src; ls",
        "true || cd src",
        "cd",
        "cd -",
        "cd src lib",
        "cat $?",
        "false; cat $?",
      ],
    ];
    for (const command of commands) test(command, () => expect(bash(command)).toMatch(/^not part of a review: /));

    test("the refusal names the command", () => {
      expect(bash("CI=1 rm -rf x")).toStartWith("not part of a review: the command rm. ");
      expect(bash("CI=1")).toStartWith("not part of a review: the command (none). ");
    });
  });

  describe("paths that a reviewer may not read", () => {
    const commands = [
      ...[
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "cat ../other/x.txt",
        "cat notes",
        "cat n*",
        "cat away/x.txt",
        "cat a*/x.txt",
        "cat ./src/../../other/x.txt",
      ],
      ...[
        "head -1 < notes",
        "cat < ../other/x.txt",
        "cat -- /etc/passwd",
        "cat -- -z",
        "cat -- --z=x",
        "cat < -z",
        "grep -f -z src/a.ts",
        "grep x /etc/passwd",
        "grep -f/etc/passwd x",
        "grep -rf/etc/passwd src",
        "grep -fnotes src/a.ts",
        "grep --file=/etc/passwd x",
        `grep -${"n".repeat(40)}f../other/x.txt src/a.ts`,
        `git grep -${"n".repeat(40)}fnotes`,
      ],
      ...[
        "ls ..",
        "ls /",
        "ls ~",
        "ls away",
        "stat ../other",
        "wc -c ../other/x.txt",
        "find .. -name x",
        "find / -name x",
        "diff notes package.json",
        "sort ../other/x.txt",
      ],
      ...[
        "cd .. && cat other/x.txt",
        "cd away && cat x.txt",
        "cd / && ls",
        "git -C .. status",
        "git -C / log",
        "git diff /etc/passwd",
        "git log -O/etc/passwd",
        "cat /proc/1/environ",
      ],
      ...[
        "cat /home/u/.claude/ccc.json",
        "cat ~/.claude.json",
        `cat ~/.claude/projects/${SLUG}/s1.jsonl`,
        `ls ~/.claude/projects/${SLUG}/s1/tool-results`,
      ],
      ...[
        "cat /tmp/claude-1000/-home-u-q/s1/tasks/t.output",
        "cat /tmp/x",
        "pytest ../other",
        "cargo test -p ../other",
        "npm test ../other/x.txt",
        "pytest ../other/x.txt::test_a",
        "rspec ../other/x.txt:12",
        "cat '/etc/passwd'",
        'cat "/etc"/passwd',
        "cat /et\\c/passwd",
      ],
      ...[
        "git show HEAD:.env",
        "git show HEAD:./conf/.env.prod",
        "git show a-branch:.env",
        "git show 'HEAD@{1 day ago}:.env'",
        "git log -L1,5:.env",
        "git log -L '/a b-c/,5:id_rsa'",
        "git log -L:name:.env",
        "git cat-file -p :0:tls/gone.key",
        "git show :id_rsa",
        "git diff main:a.txt HEAD:.aws/credentials",
        "git log -p -- .env.gone",
        "git log -p -- ':(icase)ID_RSA'",
        "git grep foo",
        "git grep foo HEAD",
        "git grep -- src",
        "cat .env",
        "cat .e*",
        "cat conf/.env.production",
        "cat tls/server.key",
        "cat .git/config",
        "grep -r KEY .",
        "grep -rn KEY",
        "grep --recursive KEY .",
        "grep -r KEY conf src",
        "grep KEY -r .",
        "grep KEY conf",
      ],
    ];
    for (const command of commands) test(command, () => expect(bash(command)).toMatch(/^not part of the project: /));

    test("files whose names would be options", () => {
      const planted = {
        ...machine,
        list: (folder: string) =>
          folder === PROJECT ? [{ name: "--output=x", isFolder: false }] : machine.list(folder),
      };
      for (const command of ["git diff *", "sort ?-output*", "cat [-]*"])
        expect([command, bash(command, { machine: planted })]).toEqual([
          command,
          expect.stringMatching(/may stand for options/),
        ]);
      expect(bash("cat src/*", { machine: planted })).toBeUndefined();
      expect(bash("grep -rn foo src --include=*.ts", { machine: planted })).toBeUndefined();
      expect(bash("cat -*")).toMatch(/may stand for options/);
    });
    test("a repository with its work tree elsewhere", () => {
      const repository = () => ({ keys: ["core.worktree"], moduleKeys: () => [], folders: [], top: "/home/u/other" });
      const elsewhere = { ...machine, repository };
      expect(bash("git status", { machine: elsewhere })).toBe("not part of the project: /home/u/other");
    });
    test("on Windows, the drives of Git Bash", () => {
      expect(bash("cat /c/Users/u/.ssh/id_rsa", { platform: "win32" })).toMatch(/^not part of the project/);
    });
    test("elsewhere than on Windows, links whose names look like absolute paths of Windows", () => {
      const links = ["\\x", "C:/x", "C:\\x"];
      const isLink = (path: string) => links.some((link) => path === `${PROJECT}/src/${link}`);
      const planted = { ...machine, realPath: (path: string) => (isLink(path) ? "/etc/passwd" : realPath(path)) };
      for (const link of links)
        expect(bash(`cd src && cat '${link}'`, { machine: planted })).toBe("not part of the project: /etc/passwd");
    });
    test("on Windows, other drives and shares, in all spellings", () => {
      const windows = (folder: string): Partial<Situation> => ({
        platform: "win32",
        cwd: folder,
        folders: [folder],
        home: "C:/Users/u",
        machine: { ...machine, realPath: (path) => path.replaceAll("\\", "/") },
      });
      for (const folder of ["C:/p", "C:\\p", "//server/share/p"]) {
        const at = windows(folder);
        for (const path of ["a.ts", "src\\a.ts", `${folder.replaceAll("/", "\\")}\\a.ts`])
          expect([folder, path, judge("Read", { file_path: path }, at)]).toEqual([folder, path, undefined]);
        for (const path of ["C:/other/x", "d:\\x", "\\x", "\\\\server\\other"]) {
          const refusal = `not part of the project: ${path.replaceAll("\\", "/")}`;
          expect([folder, path, judge("Read", { file_path: path }, at)]).toEqual([folder, path, refusal]);
          expect([folder, path, bash(`cat '${path}'`, at)]).toEqual([folder, path, refusal]);
        }
      }
    });
    test("the outputs of other sessions, where the project's name is not known", () => {
      for (const path of ["/tmp/claude-1000/undefined/x", "/home/u/.claude/projects/undefined/s1/tool-results/x"])
        expect(judge("Read", { file_path: path }, { transcriptPath: undefined })).toMatch(/^not part of the project/);
    });
    test("but an option is not a path, even in a folder that may not be read", () => {
      const elsewhere = { cwd: "/home/u/other" };
      expect(bash("head -n 3 /home/u/given/y", elsewhere)).toBeUndefined();
      expect(bash("ls -l", elsewhere)).toBeUndefined();
      expect(bash("ls -l .", elsewhere)).toMatch(/^not part of the project/);
    });
    test("anything, if no folder is allowed", () => {
      expect(bash("cat package.json", { folders: [] })).toMatch(/^not part of the project/);
      expect(judge("Read", { file_path: `${PROJECT}/src/a.ts` }, { folders: [] })).toMatch(/^not part of the project/);
    });
    test("secrets in the home, even if the home is the project", () => {
      const home = { folders: ["/home/u"], cwd: "/home/u" };
      expect(bash("cat other/x.txt", home)).toBeUndefined();
      for (const command of ["cat .ssh/id_rsa", "ls .ssh", "cat .claude/ccc.json", "grep -r x .", "cat .*/id_rsa"])
        expect([command, bash(command, home)]).toEqual([command, expect.stringMatching(/^not part of the project/)]);
      expect(judge("Grep", { pattern: "x" }, home)).toMatch(/^not part of the project/);
    });
    test("but a home without secrets may be searched: the tool leaves out .git", () => {
      const list = (folder: string) =>
        folder === "/home/u" ? [{ name: ".git", isFolder: true }] : [{ name: "config", isFolder: false }];
      const home = { folders: ["/home/u"], cwd: "/home/u", machine: { ...machine, list } };
      expect(judge("Grep", { pattern: "x" }, home)).toBeUndefined();
    });
  });

  describe("tools", () => {
    const table: [tool: string, input: object, refusal: RegExp | undefined][] = [
      ["StructuredOutput", { completed: true, feedback: "" }, undefined],
      ["Read", { file_path: `${PROJECT}/src/a.ts` }, undefined],
      ["Read", { file_path: "src/a.ts" }, undefined],
      ["Read", { file_path: "/usr/include/stdio.h" }, undefined],
      ["Read", { file_path: "/home/u/given/y" }, undefined],
      ["Read", { file_path: "/etc/passwd" }, /^not part of the project: \/etc\/passwd$/],
      ["Read", { file_path: " /etc/passwd" }, /^not part of the project: \/etc\/passwd$/],
      ["Read", { file_path: "~/.ssh/id_rsa" }, /^not part of the project: \/home\/u\/\.ssh\/id_rsa$/],
      ["Read", { file_path: `${PROJECT}/notes` }, /^not part of the project: \/home\/u\/\.ssh\/id_rsa$/],
      ["Read", { file_path: `${PROJECT}/.env` }, /may contain secrets/],
      ["Read", { file_path: `${PROJECT}/missing` }, /^no such file/],
      ["Read", { file_path: 7 }, /not a string/],
      ["Grep", { pattern: "x" }, undefined],
      ["Grep", { pattern: "x", path: "/home/u/given" }, undefined],
      ["Grep", { pattern: "x", path: "/home/u" }, /^not part of the project/],
      ["Grep", { pattern: "x", path: "notes" }, /^not part of the project/],
      ["Glob", { pattern: "**/*.ts" }, undefined],
      ["Glob", { pattern: "/etc/*" }, /^not part of the project/],
      ["Glob", { pattern: "../*" }, /^not part of the project/],
      ["Glob", { pattern: "*", path: "/home/u/.ssh" }, /^not part of the project/],
      ["Bash", { command: "git diff", run_in_background: true }, /^not part of a review/],
      ["Bash", { command: "git diff", run_in_background: "true" }, /^not part of a review/],
      ["Bash", { command: "git diff", run_in_background: false }, undefined],
      ["Bash", {}, /^no command/],
      ["Bash", { command: ["cat", "/etc/passwd"] }, /not a string/],
      ["Glob", { pattern: "{src,/etc}/*" }, /^not part of the project/],
      ["Write", { file_path: "x" }, /^not part of a review: Write/],
      ["Agent", { prompt: "x" }, /^not part of a review: Agent/],
      ["WebFetch", { url: "http://x" }, /^not part of a review/],
      ["mcp__x__y", {}, /^not part of a review/],
      ["PowerShell", { command: "ls" }, /^not part of a review/],
    ];
    for (const [tool, input, refusal] of table) {
      test(`${tool} ${JSON.stringify(input)}`, () => {
        const answer = judge(tool, input);
        if (refusal === undefined) expect(answer).toBeUndefined();
        else expect(answer).toMatch(refusal);
      });
    }

    test("property: no command makes the guard throw", () => {
      const piece = fc.constantFrom(
        "cat",
        "git",
        "grep",
        "npm",
        "test",
        "-",
        "--",
        "-r",
        "cd",
        "&&",
        ";",
        "|",
        "<",
        ">",
        "*",
        "/",
        "..",
        "~",
        "'",
        '"',
        "$",
        " ",
        " ",
        "\n",
      );
      const line = fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join(" ")),
        fc.array(piece).map((pieces) => pieces.join("")),
      );
      fc.assert(
        fc.property(line, (command) => void bash(command)),
        { numRuns: 2_000 },
      );
    });
  });

  describe("the event and the answer", () => {
    test("an event is read", () => {
      const event = {
        tool_name: "Read",
        tool_input: { file_path: "x" },
        cwd: "/p",
        transcript_path: "/h/projects/-p/s.jsonl",
      };
      expect(readToolEvent(JSON.stringify(event))).toEqual({
        tool: "Read",
        input: { file_path: "x" },
        cwd: "/p",
        slug: "-p",
      });
    });
    for (const text of ["", "x", "[]", "{}", '{"tool_name":1,"cwd":"/"}', '{"tool_name":"Read"}'])
      test(`${JSON.stringify(text)} is not an event`, () => expect(readToolEvent(text)).toBeUndefined());
    test("an answer allows or denies", () => {
      const said = (refusal?: string) => JSON.parse(toolAnswer(refusal)).hookSpecificOutput;
      expect(said()).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "allow" });
      expect(said("no")).toMatchObject({ permissionDecision: "deny", permissionDecisionReason: "no" });
    });
  });
});

describe("answer tool event", () => {
  const FILES = [
    "/p/a.ts",
    "/given/b",
    "/h/.claude/ccc.json",
    "/h/.claude.json",
    "/h/x",
    "/conf/key",
    "/t/s.jsonl",
    "/u/p/a.ts",
  ];
  const disk = {
    realPath: (path: string) => (FILES.includes(path) ? path : undefined),
    list: () => [],
    read: () => undefined,
    isPipe: () => false,
  };
  const ENV = {
    HOME: "/h",
    CCC_REVIEW_FOLDERS: '["/p", "/given", 7]',
    CCC_CONFIG_DIR: "/conf",
    CCC_REVIEW_FILES: '["/t/s.jsonl"]',
  };

  const judged = (
    tool_name: string,
    tool_input: object,
    env: Record<string, string> = {},
    platform: NodeJS.Platform = "linux",
  ) =>
    judgeEvent(JSON.stringify({ tool_name, tool_input, cwd: "/p" }), { ...ENV, ...env }, platform, disk, () => ({
      guardBash: (line) => {
        if (line !== "npm test") throw new Refusal(`not ${line}`);
      },
    }));
  const read = (file_path: string, env: Record<string, string> = {}) =>
    judged("Read", { file_path }, env) === undefined;

  test("in a sandbox any command may run, in the foreground; all other tools are judged as ever", () => {
    const sandboxed = { CCC_REVIEW_SANDBOX: '["/conf"]' };
    const judgedThere = (tool: string, input: object) => judged(tool, input, sandboxed) === undefined;
    expect(judgedThere("Bash", { command: "python3 -c 'print(1)' > x" })).toBeTrue();
    expect(judgedThere("Bash", { command: "sleep 9", run_in_background: true })).toBeFalse();
    expect(judgedThere("Bash", { command: "" })).toBeFalse();
    expect(["Agent", "Write", "Workflow", "WebFetch"].map((tool) => judgedThere(tool, {}))).toEqual(
      Array(4).fill(false),
    );
    expect(read("/conf/key", sandboxed)).toBeTrue();
    expect(read("/h/x", sandboxed)).toBeFalse();
    expect(judged("Bash", { command: "python3" })).toBe("not python3");
  });

  describe("a reviewer may read", () => {
    const table: [path: string, isAllowed: boolean][] = [
      ["/p/a.ts", true],
      ["a.ts", true],
      ["/given/b", true],
      ["/h/x", false],
      ["~/x", false],
      ["/h/.claude/ccc.json", false],
      ["/conf/key", false],
      ["/p/missing", false],
      ["", false],
    ];
    test.each(table)("%s: %p", (path, isAllowed) => expect(read(path)).toBe(isAllowed));

    test("nothing of Claude Code's own, even if its folder is within the project", () => {
      const all = { CCC_REVIEW_FOLDERS: '["/h", "/conf"]' };
      expect(read("/h/x", all)).toBe(true);
      for (const path of ["/h/.claude/ccc.json", "/h/.claude.json", "/conf/key"]) expect(read(path, all)).toBe(false);
    });
    test("nothing, without a list of folders", () => {
      for (const folders of ["", "7", "{}"]) expect(read("/p/a.ts", { CCC_REVIEW_FOLDERS: folders })).toBe(false);
    });
  });

  describe("a reviewer may run", () => {
    test("what the other guard allows", () => {
      expect(judged("Bash", { command: "npm test" })).toBeUndefined();
      expect(judged("Bash", { command: "rm x" })).toBe("not rm x");
      expect(judged("Bash", { command: "" })).toBe("no command");
      expect(judged("Bash", { command: 7 })).toBe("command is not a string");
    });
    test("nothing in the background", () =>
      expect(judged("Bash", { command: "npm test", run_in_background: true })).toStartWith(
        "not part of a review: Bash",
      ));
    test("no other tool", () => {
      expect(judged("Write", { file_path: "/p/a.ts" })).toStartWith("not part of a review: Write");
      expect(judged("StructuredOutput", {})).toBeUndefined();
    });
  });

  test("an invalid event is refused", () => {
    const refusal = "ccc does not understand this event";
    for (const text of ["", "{}", '{"tool_name":"Read"}', '{"tool_name":7,"cwd":"/p"}'])
      expect(judgeEvent(text, ENV, "linux", disk, () => ({ guardBash: () => {} }))).toBe(refusal);
  });

  test("the home folder is HOME, and on Windows USERPROFILE", () => {
    const allowed = (env: Record<string, string>, platform: NodeJS.Platform, file_path: string) =>
      judged("Read", { file_path }, env, platform) === undefined;
    expect(allowed({ HOME: "/p", USERPROFILE: "/h" }, "linux", "~/a.ts")).toBe(true);
    expect(allowed({ HOME: "/h", USERPROFILE: "/p" }, "linux", "~/a.ts")).toBe(false);
  });
});
