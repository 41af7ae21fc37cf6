import { complaintAbout, complaintArguments, isHelperLoaded, NOWHERE, statusArguments } from "../claude/load-check.ts";
import { canDo } from "../claude/version-facts.ts";
import type { Paths } from "../config/ccc-paths.ts";
import { CccError, EXIT } from "../errors.ts";
import { GUARD } from "../providers/isolate.ts";
import { withoutProvider } from "../providers/variables.ts";
import { prettyJson } from "../text/json.ts";
import type { World } from "../world.ts";
import { claudeVersion } from "./claude-version.ts";
import { proofOf, proofsFile } from "./loaded-settings.ts";
import type { Plan } from "./plan.ts";

/** Asks Claude Code whether it loads the settings of a plan, and refuses the launch if not. Takes a second, once. */
export async function proveSettings(plan: Plan, world: World, paths: Paths): Promise<Plan> {
  const version = await claudeVersion(world, plan.file, paths);
  // Older versions cannot tell. They start no service that would inherit the guard.
  const guarded = { ...plan, set: GUARD };
  if (!canDo(version, "backgroundSessions")) return guarded;
  const { path, content } = plan.settings.agent;
  world.files.writePrivate(path, prettyJson(content));
  const isLoaded = isHelperLoaded((await ask(statusArguments(path), plan, world, paths)).stdout);
  if (isLoaded === undefined) return guarded;
  if (!isLoaded) {
    const { stderr } = await ask(complaintArguments(path), plan, world, paths);
    throw notLoaded(plan.provider, complaintAbout(path, stderr), paths);
  }
  const proofs = (world.files.read(proofsFile(paths)) ?? "").split("\n").filter(Boolean).slice(-MOST_PROOFS);
  world.files.writePrivate(proofsFile(paths), `${[...proofs, ""].join("\n")}${proofOf(plan, world)}`);
  return plan;
}

const MOST_PROOFS = 20;
const PATIENCE_MS = 20_000;

/** Runs claude where no project can interfere. */
async function ask(args: readonly string[], plan: Plan, world: World, paths: Paths) {
  let stdout = "";
  const result = await world.run({
    program: { file: plan.file, args, env: { ...withoutProvider(world.env), ...NOWHERE } },
    cwd: paths.generated,
    stdin: "",
    timeoutMs: PATIENCE_MS,
    onLine: (line) => {
      stdout += `${new TextDecoder().decode(line)}\n`;
      return false;
    },
  });
  if (result.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
  return { stdout, stderr: result.stderr };
}

function notLoaded(provider: string, complaint: string | undefined, { config }: Paths): CccError {
  const what = `Claude Code does not load the settings of provider "${provider}"`;
  return new CccError(complaint === undefined ? what : `${what}: ${complaint}`, {
    advice: `It would drop the provider's server and key with them. Correct it in ${config}, or in the file given with --settings.`,
  });
}
