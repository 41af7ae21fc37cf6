/** Where ccc begins: the first word decides what is loaded. Claude Code waits for most of these, so each loads little. */
const ENTRIES = new Map<string | undefined, () => Promise<boolean>>([
  ["key", () => import("./entry/key.ts").then(({ answerKey }) => answerKey(process))],
  ["statusline", () => import("./entry/statusline.ts").then(({ statusline }) => statusline(process))],
  ["supervisor-guard", () => import("./entry/guard.ts").then(({ guard }) => guard(process))],
  ["supervisor-hook", handleHook],
  ["supervisor-prompt", handleHook],
  ["supervisor-failure", handleHook],
]);

async function handleHook(): Promise<boolean> {
  const idle = await import("./entry/idle.ts").then(({ endIdleHook }) => endIdleHook(process));
  if (idle !== "done") await import("./entry/hook.ts").then(({ hook }) => hook(process, idle.input));
  return true;
}

const plainLaunch = () => import("./entry/launch.ts").then(({ launchPlainly }) => launchPlainly(process));
const enter = ENTRIES.get(process.argv[2]) ?? plainLaunch;
if (!(await enter())) await import("./entry/program.ts").then(({ runProgram }) => runProgram(process));

export {};
