/**
 * The end-to-end tests that run the code of a file, most likely first. They run dist/ccc, so imports do not show which ones:
 * for a command, those that name it; for other folders, a table, in which the longest matching entry counts.
 */
export function e2eTestsOf(file: string, texts: ReadonlyMap<string, string>): string[] {
  const command = /^src\/commands\/([^/]+)\//.exec(file)?.[1];
  const naming = command === undefined ? [] : [...texts].filter(([, text]) => text.includes(`["${command}"`));
  const named = naming
    .map(([test]) => test)
    .sort((a, b) => Number(b.includes(`/${command}`)) - Number(a.includes(`/${command}`)));
  const folder = Object.keys(TABLE)
    .filter((path) => file.startsWith(path))
    .sort((a, b) => b.length - a.length)[0];
  const paths = (TABLE[folder ?? ""] ?? []).flatMap(pathsOf);
  const listed = paths.filter((path) => texts.has(path));
  return [...new Set([...named, ...listed])].slice(0, MOST);
}

/** A test is in one of these folders. */
export function pathsOf(name: string): string[] {
  return ["e2e", "thorough"].map((folder) => `tests/${folder}/${name}.test.ts`);
}

const MOST = 10;

const SUPERVISED = ["supervisor", "hook", "loop", "print-outcome", "session-command"];

export const TABLE: Readonly<Record<string, readonly string[]>> = {
  "src/": ["launch", "supervisor", "hook", "provider", "loop"],
  "src/claude/": ["launch", "isolation", "hook", "supervisor", "loop", "background", "foreign-models", "statusline"],
  "src/cli/": ["launch", "provider", "completions", "editor", "first-run", "pins", "why", "isolation"],
  "src/config/": ["provider", "launch", "pins", "first-run", "references", "isolation", "why", "migrate"],
  "src/launch/": ["launch", "isolation", "references", "background", "first-run", "pins", "editor", "doctor"],
  "src/os/": ["launch", "hook", "attack/files", "provider", "use", "loop"],
  "src/providers/": ["provider", "isolation", "references", "why", "use", "launch", "validate", "change-provider"],
  "src/providers/quota/": ["usage", "statusline"],
  "src/sandbox/": ["demo", "doctor", "launch"],
  "src/terminal/": ["loop-terminal", "terminal", "first-run", "provider"],
  "src/text/": ["launch", "report", "hook", "attack/redaction", "provider"],
  "src/supervisor/": SUPERVISED,
  "src/supervisor/changes/": ["baseline", "review-context", "skipped", "attack/files", ...SUPERVISED],
  "src/supervisor/checks/": ["checks", "attack/instructions", ...SUPERVISED],
  "src/supervisor/hooks/": [
    "hook",
    "session-command",
    "missed-review",
    "resume",
    "limit-terminal",
    "background",
    "supervisor",
  ],
  "src/supervisor/ledger.ts": ["criteria", "review", ...SUPERVISED],
  "src/supervisor/limits.ts": ["loop-limits", "limit-terminal", ...SUPERVISED],
  "src/supervisor/loop/": ["loop", "loop-limits", "rounds", "loop-terminal", "attack/loop"],
  "src/supervisor/notify.ts": ["terminal", "hook", "loop"],
  "src/supervisor/nudge.ts": ["nudge", ...SUPERVISED],
  "src/supervisor/print.ts": ["print-outcome", "supervisor", "hook"],
  "src/supervisor/proof/": ["proof", "calibrate", ...SUPERVISED],
  "src/supervisor/record/prompts.ts": ["whose-prompt", "missed-review", "resume", ...SUPERVISED],
  "src/supervisor/record/": ["report", "missed-review", "resume", "review", "skipped", ...SUPERVISED],
  "src/supervisor/review/": [
    "review-context",
    "criteria",
    "fallback",
    "review",
    "attack/verdict",
    "attack/excerpts",
    ...SUPERVISED,
  ],
  "src/supervisor/review/answer.ts": ["foreign-models", "attack/verdict", "review", ...SUPERVISED],
  "src/supervisor/review/claims.ts": ["claims", ...SUPERVISED],
  "src/supervisor/review/sandbox.ts": ["sandbox", "doctor", ...SUPERVISED],
  "src/supervisor/review/verdict.ts": ["foreign-models", "attack/verdict", "criteria", "review", ...SUPERVISED],
  "src/supervisor/setup/": [
    "supervisor",
    "session-command",
    "fallback",
    "resume",
    "attack/rejected-settings",
    "loop",
    "hook",
  ],
  "src/supervisor/guard/": ["guard", "attack/reviewer-reads", "attack/reviewer-programs", "attack/reviewer-writes"],
};
