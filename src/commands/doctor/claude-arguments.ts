import { sandboxEnvironment } from "../../sandbox/scripted-run.ts";
import type { World } from "../../world.ts";
import { type Check, fail, ok } from "./check-result.ts";

/** Whether claude takes the `claude_args` of ccc.json. Without a prompt it reads its options, and ends. */
export async function checkClaudeArguments(world: World, claude: string, args: readonly string[]): Promise<Check[]> {
  if (args.length === 0) return [];
  const scratch = world.scratch();
  try {
    const { stderr } = await world.run({
      program: { file: claude, args: ["-p", ...args], env: sandboxEnvironment(world.env, scratch.path, claude) },
      cwd: scratch.path,
      stdin: "",
      timeoutMs: LONGEST_MS,
      onLine: () => false,
    });
    const [, problem] = OPTION_ERROR.exec(stderr) ?? [];
    if (problem === undefined) return [ok("claude_args", "claude takes them")];
    return [fail("claude_args", `claude refuses them: ${problem}`, "Correct claude_args in ccc.json.")];
  } finally {
    scratch.remove();
  }
}

const LONGEST_MS = 30_000;

/** How claude begins a complaint about an option; others begin with a capital. */
const OPTION_ERROR = /^error: (.+)/m;
