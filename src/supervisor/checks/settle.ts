import { MOST_CHECKS } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import { usageError } from "../../errors.ts";
import { shellWord } from "../../os/path.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { type CheckSources, checkConsent, collectChecks, type SettledChecks } from "./collect.ts";
import { escaped } from "./result.ts";

/** Decides which checks a launch has. On a terminal the user is asked, once, about those of a project. */
export async function settleChecks(
  world: World,
  paths: Paths,
  sources: CheckSources & { readonly path: string },
): Promise<SettledChecks> {
  const { path } = sources;
  const log = createLog(world);
  const { trusted, projects, untrusted, problem } = collectChecks(sources);
  if (problem !== undefined) log.warn(`the checks in ${path} do not run: ${problem}`);
  refuseChecks([...trusted, ...untrusted], world);
  const only = { commands: trusted, left_out: [] };
  if (untrusted.length === 0) return only;

  const consent = checkConsent(world.files, paths, world.cwd, projects);
  const answer = consent.read();
  const all = { commands: [...trusted, ...untrusted], left_out: [] };
  if (answer === true) return all;
  const those = `${counted(untrusted.length, "check")} in ${path}`;
  if (answer === false) {
    log.warn(`you declined ${those}; to be asked again: rm ${shellWord(consent.path)}`);
    return only;
  }
  if (!canAsk(world)) {
    const flags = untrusted.map((command) => `--check ${escaped(shellWord(command))}`).join(" ");
    log.warn(
      `not running ${those}: you have not agreed. Run ccc --supervisor here in a terminal once, or pass ${flags}`,
    );
    return { commands: trusted, left_out: untrusted };
  }
  log.info(`${path} wants ccc to run ${projects.length === 1 ? "this" : "these"} whenever the agent stops:`);
  for (const command of projects) world.stderr(`  ${escaped(command)}\n`);
  const agreed = await confirm("Run commands of this project? They can do whatever you can.", world);
  consent.save(agreed);
  return agreed ? all : only;
}

/** Refuses checks that a session cannot have. */
export function refuseChecks(commands: readonly string[], { platform }: Pick<World, "platform">): void {
  if (commands.length > MOST_CHECKS) {
    throw usageError(`there are more than ${MOST_CHECKS} checks`, "Combine some of them in a script.");
  }
  const unquotable = commands.find((command) => platform === "win32" && /["()]/.test(command));
  if (unquotable !== undefined) {
    // cmd.exe would get them in another form, and might run something else successfully.
    throw usageError(
      `a check with quotes or parentheses does not work on Windows: ${unquotable}`,
      "Put it in a script.",
    );
  }
}
