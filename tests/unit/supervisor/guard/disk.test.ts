import { afterAll, expect, test } from "bun:test";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { libcFiles } from "../../../../src/os/fast.ts";
import * as bash from "../../../../src/supervisor/guard/command-line.ts";
import { guardDisk, judgeEvent } from "../../../../src/supervisor/guard/judge.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "ccc-guard-"));
afterAll(() => rmSync(root, { recursive: true }));
const [home, project] = [join(root, "home"), join(root, "home/p")];
for (const file of [
  ...[".ssh/id_rsa", ".claude/ccc.json", ".claude.json", "other/x.txt", "given/y", "p/package.json", "p/src/a.ts"],
  ...[
    "p/.env",
    "p/.env.example",
    "p/tls/server.key",
    "p/-n",
    "p/ünï 文/é",
    "p/.claude/settings.json",
    "p/a b",
    "p/c\\d",
  ],
]) {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), "");
}
for (const [link, to] of [
  ...[["notes", "../.ssh/id_rsa"] as const, ["away", "../other"] as const, ["inner", "src"] as const],
  ...[["nowhere", "nothing"] as const, ["loop", "loop"] as const, ["secret", ".env"] as const],
  ...[["src/up", ".."] as const, ["proc", "/proc/self"] as const, ["again", "inner/a.ts"] as const],
])
  symlinkSync(to, join(project, link));
linkSync(join(home, ".ssh/id_rsa"), join(project, "hard"));
Bun.spawnSync(["mkfifo", join(project, "pipe")]);
Bun.spawnSync(["git", "init", "-q", project]);
symlinkSync(project, join(root, "linked"));

const PATHS = [
  ...["package.json", "src/a.ts", ".env", ".env.example", "tls/server.key", "-n", "ünï 文/é", "a b", "missing", "src"],
  ...["notes", "away", "away/x.txt", "inner", "inner/a.ts", "nowhere", "loop", "secret", "again", "hard", "pipe"],
  ...["proc/environ", "proc/cwd/package.json", "src/up/src/up/package.json", "src/../package.json", "../other/x.txt"],
  ...[".", "..", "./", "src/", "package.json/", "package.json/.", "./src/./a.ts", "", " ", "~", "~/.ssh/id_rsa"],
  ...["../given/y", "../.claude/ccc.json", ".git/config", ".git", "src/up/.git/config", "a\0b", "\ud800"],
  ...["/etc/passwd", "/dev/null", "/usr/include", "/proc/self/environ", "/proc/self/fd/0", "/", "x".repeat(5_000)],
];
const COMMANDS = [
  "cat",
  "ls",
  "head -3 <",
  "grep -r x",
  "grep -rf",
  "git diff --",
  "git -C",
  "npm test",
  "cd",
  "diff a",
];
const LINES = [
  ...[
    "git status",
    "git -C src diff",
    "git -C away log",
    "git -C notes log",
    "git diff -- notes",
    "git log | head -3",
    "cat *",
    "cat src/*",
    "cat n*",
    "ls -la",
    "npm test; echo $?",
    "rm -rf x",
  ],
  ...["cd src && cat a.ts", "cd inner && cat a.ts", "cd away && cat x.txt", "echo $HOME", "grep -r x", "grep x src"],
];

function calls(at: (path: string) => string): [tool: string, input: object][] {
  return [
    ...PATHS.flatMap((path): [string, object][] => [
      ["Read", { file_path: at(path) }],
      ["Grep", { pattern: "x", path: at(path) }],
      ["Glob", { pattern: path, path: at(path) }],
      ["LS", { path: at(path) }],
      ["Bash", { command: `cat '${at(path)}'` }],
    ]),
    ...COMMANDS.flatMap((command) =>
      PATHS.slice(0, 30).map((path): [string, object] => ["Bash", { command: `${command} '${at(path)}'` }]),
    ),
    ...LINES.map((command): [string, object] => ["Bash", { command }]),
    ...["StructuredOutput", "Write", "Agent"].map((tool): [string, object] => [tool, {}]),
  ];
}

test("a backslash in a path is a slash on Windows, and part of a name elsewhere", () => {
  expect(guardDisk("linux", undefined).realPath(`${project}/c\\d`)).toBe(`${project}/c\\d`);
  expect(guardDisk("win32", undefined).realPath(`${project}/c\\d`)).toBe(`${project}/c/d`);
});

function judged(disk: ReturnType<typeof guardDisk>, cwd: string, tool_name: string, tool_input: object) {
  const text = JSON.stringify({ tool_name, tool_input, cwd, transcript_path: "/h/projects/-p/s.jsonl" });
  const folders = JSON.stringify([project, join(home, "given")]);
  const env = { HOME: home, PATH: process.env.PATH, CCC_REVIEW_FOLDERS: folders };
  try {
    return judgeEvent(text, env, "linux", disk, () => bash);
  } catch (error) {
    return `refused, because of ${error}`;
  }
}

// Claude Code would wait for one until the review's time is up.
test("a pipe in the project is for no tool that reads", () => {
  const disk = guardDisk("linux", undefined);
  expect(judged(disk, project, "Read", { file_path: "pipe" })).toBe("pipe is a pipe, which reviewers do not read");
  expect(judged(disk, project, "Grep", { pattern: "x", path: join(project, "pipe") })).toContain("is a pipe");
});

const libc = process.platform === "linux" ? libcFiles() : undefined;
if (libc !== undefined) {
  const places = { project, "a link to it": join(root, "linked"), "a folder in it": join(project, "src") };
  for (const [name, cwd] of Object.entries(places)) {
    test(`the guard judges through libc as it does through node:fs, in ${name}`, () => {
      const [quick, slow] = [guardDisk("linux", libc), guardDisk("linux", undefined)];
      const all = [...calls((path) => path), ...(cwd === project ? calls((path) => join(project, path)) : [])];
      const answers = all.map(([tool, input]) => [tool, input, judged(quick, cwd, tool, input)]);
      expect(answers).toEqual(all.map(([tool, input]) => [tool, input, judged(slow, cwd, tool, input)]));
      const allowed = answers.filter(([, , refusal]) => refusal === undefined);
      expect(allowed.length).toBeGreaterThan(20);
      expect(answers.length - allowed.length).toBeGreaterThan(100);
    });
  }
}
