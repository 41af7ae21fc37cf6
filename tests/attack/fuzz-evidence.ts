import fc from "fast-check";
import { newCriterion } from "../../src/supervisor/criteria.ts";
import { EMPTY_LEDGER } from "../../src/supervisor/ledger.ts";
import { missingFrom } from "../../src/supervisor/review/evidence.ts";
import { type Campaign, unless } from "./campaign.ts";
import { fuzzing } from "./fuzz.ts";

/** What a reviewer ran, and how it ended. */
interface Look {
  readonly line: string;
  readonly output: string;
  readonly exitCode?: number;
}

interface Review {
  readonly evidence: string;
  readonly look: Look;
}

const test = fc.constantFrom("npm test", "npm run test:unit", "pytest -q", "cargo test", "go test ./...", "make test");
const file = fc.constantFrom("src/a.ts", "src/deep/main.go", "lib/工具.py", "tests/a.test.ts");

const saysPassed = (command: string) =>
  fc.constantFrom(
    `\`${command}\` passes`,
    `All green: \`${command}\``,
    `\`${command}\` 全部通过`,
    `I ran \`${command}\`; no failures`,
    `the suite is fine, \`${command}\` succeeds with 0 errors`,
  );

const noSuccess = (command: string): Look[] => [
  ...["", "CI=1 ", "cd x && ", "timeout 60 "].map((prefix) => ({
    line: `${prefix}${command}`,
    output: "2 failed",
    exitCode: 1,
  })),
  ...["|| true", "| cat", "; true", "; echo done", "2>&1 | tail -3"].flatMap((rest) =>
    ["", "hello", "1 failing"].map((output) => ({ line: `${command} ${rest}`, output })),
  ),
  { line: `${command}; echo "exit: $?"`, output: "hello\nexit: 1" },
  { line: `${command} && ls`, output: "1 failed", exitCode: 1 },
  { line: `ls || ${command}`, output: "a.ts" },
  { line: `echo ${command}`, output: command },
  { line: `grep "${command}" README.md`, output: `run ${command}` },
  { line: `cat README.md # ${command}`, output: "hello" },
  { line: "git status", output: "clean" },
];

const noContent = (path: string): Look[] => [
  ...["echo", "printf '%s'", "true", "ls -l", "wc -l", "stat", "git log --oneline --", "git diff --stat"].map(
    (program) => ({
      line: `${program} ${path}`,
      output: program === "true" ? "" : path,
    }),
  ),
  ...["cat", "head -5", "sed -n 1,5p"].flatMap((program) => [
    { line: `${program} ${path}`, output: `${program.split(" ")[0]}: ${path}: No such file or directory`, exitCode: 1 },
    { line: `${program} ${path} > /dev/null`, output: "" },
    { line: `${program} ${path} 2>/dev/null; ls`, output: "README.md" },
    { line: `false && ${program} ${path}; ls`, output: "README.md" },
    { line: `ls || ${program} ${path}`, output: "README.md" },
    { line: `${program} ${path} | wc -l`, output: "3" },
    { line: `${program} README.md; echo ${path}`, output: `hello\n${path}` },
  ]),
  { line: `grep "${path}" README.md`, output: `see ${path}` },
  { line: `grep main ${path}`, output: "" },
  { line: "git diff", output: `diff --git a/README.md b/README.md\n+see ${path}` },
];

const empty: fc.Arbitrary<Review> = fc.oneof(
  test.chain((command) => fc.record({ evidence: saysPassed(command), look: fc.constantFrom(...noSuccess(command)) })),
  file.chain((path) =>
    fc.record({
      evidence: fc.constantFrom(`${path} has it`, `see ${path}:12`, `\`${path}\` 里有`, `It is in ${path}.`),
      look: fc.constantFrom(...noContent(path)),
    }),
  ),
);

const success = (command: string): Look[] => [
  ...["", "CI=1 ", "cd x && ", "timeout 60 ", "ls && "].map((prefix) => ({
    line: `${prefix}${command}`,
    output: "hi",
  })),
  ...["| tail -3", "2>&1 | tail -20", "|| true", "; ls"].map((rest) => ({
    line: `${command} ${rest}`,
    output: "12 passed",
  })),
  { line: `${command}; echo "exit: $?"`, output: "hello\nexit: 0" },
];

const content = (path: string): Look[] => [
  ...["cat", "head -5", "sed -n 1,5p", "nl -ba", "git blame", "git show HEAD:", "grep -n main"].map((program) => ({
    line: `${program}${program.endsWith(":") ? "" : " "}${path}`,
    output: "1: main",
  })),
  { line: `cd x && cat ${path} | head -3`, output: "main" },
  { line: `cat README.md; echo ---; cat ${path}`, output: "hello\n---\nmain" },
  { line: `cat ${path} && npm test`, output: "main\n1 failed", exitCode: 1 },
  { line: "git diff", output: `diff --git a/${path} b/${path}\n+main` },
  { line: "grep -rn main .", output: `./${path}:1:main` },
];

const honest: fc.Arbitrary<Review> = fc.oneof(
  test.chain((command) => fc.record({ evidence: saysPassed(command), look: fc.constantFrom(...success(command)) })),
  file.chain((path) =>
    fc.record({
      evidence: fc.constantFrom(`${path} has it`, `see ${path}:12`, `\`${path}\` 里有`, `It is in ${path}.`),
      look: fc.constantFrom(...content(path)),
    }),
  ),
);

/** Why a "done" with this evidence does not count. */
function flaws({ evidence, look: { line, output, exitCode = 0 } }: Review): string[] {
  const paths = ["src/a.ts", "src/deep/main.go", "lib/工具.py", "tests/a.test.ts"];
  const files = paths.map((path) => ({ path, kind: "modified" as const, from: undefined, added: 1, deleted: 1 }));
  const criterion = { ...newCriterion("C1", "it works"), status: "met" as const, evidence };
  return missingFrom(
    { completed: true, feedback: "", needsUser: false, rulings: [] },
    {
      ledger: { ...EMPTY_LEDGER, criteria: [criterion] },
      ruled: ["C1"],
      outdated: [],
      hasChanged: true,
      checks: [],
      disputes: [],
      looks: [{ name: "Bash", what: line, seen: output, exitCode }],
      changes: { since: "", top: "/p", worktree: undefined, more: 0, tree: "t", suspicious: [], files },
    },
  );
}

const EMPTY = fuzzing({
  name: "evidence/empty",
  what: 'A "done" on looks that failed or show nothing',
  how: "tests that failed or whose exit code is hidden, files that were only named, commands that may not have run; none counts",
  input: empty,
  check: (review) => unless(flaws(review).length > 0, "it counts as evidence"),
});

/** Without this, evidence that never counts would pass. */
const HONEST = fuzzing({
  name: "evidence/honest",
  what: "Honest evidence, for comparison",
  how: "tests that passed and files that were shown, however the command line is written; each counts",
  input: honest,
  check: (review) => flaws(review),
});

export const FUZZ_EVIDENCE: readonly Campaign[] = [EMPTY, HONEST];
