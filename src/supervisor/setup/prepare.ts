import { claudeStart, NOT_PERSISTED } from "../../claude/arguments.ts";
import { isOn } from "../../claude/connection.ts";
import { WITHOUT_HOOKS } from "../../claude/hook-settings.ts";
import { type Layer, type Layers, readLayers } from "../../claude/layers.ts";
import { isTested, NEWEST_TESTED, OLDEST_TESTED } from "../../claude/versions.ts";
import { MOST_CHECKS, type ReviewerName } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import { CccError, usageError } from "../../errors.ts";
import { REVIEWER_MARKER } from "../../markers.ts";
import { shownName } from "../../os/names.ts";
import { canAsk, createLog } from "../../terminal/dialog.ts";
import { shellWord } from "../../text/shell.ts";
import { counted } from "../../text/words.ts";
import type { Env, World } from "../../world.ts";
import { type CheckSources, checkConsent, collectChecks, type SettledChecks } from "../checks/commands.ts";
import { shortCommand } from "../checks/result.ts";
import { seenGitFolders } from "../guard/repository.ts";
import { bestEffort } from "../project.ts";
import { suggestCheck } from "../proof/proof.ts";
import { removeAbandonedCopies } from "../proof/scratch.ts";
import { launchRecords, rememberEnvironment } from "../record/launch.ts";
import { sessionWithoutHooks } from "../record/missed.ts";
import { copiesFolder, type IdentifiedLaunch } from "../record/session.ts";
import {
  checkSource,
  DEFAULT_INSTRUCTIONS,
  findInstructions,
  type Instructions,
  instructionPaths,
} from "../review/instructions.ts";
import { removeAbandonedReviews } from "../review/sandbox.ts";
import { plannedReviewers, recordedReviewers, type Supervision } from "./supervision.ts";

/** Prepares a supervised launch. Everything its reviews rely on is fixed here, before the agent can change it. */
export async function prepareSupervision(
  world: World,
  paths: Paths,
  launch: {
    readonly provider: string;
    readonly claude: string;
    /** The version of claude, if known. */
    readonly version: string | undefined;
    readonly supervision: Supervision;
    /** The settings files of the reviewers in supervisor.fallback, in order. */
    readonly fallback: readonly string[];
    readonly isPersistent: boolean;
  },
): Promise<IdentifiedLaunch> {
  const { provider, claude, version, supervision, isPersistent } = launch;
  const log = createLog(world);
  const warning = versionWarning(version);
  if (warning !== undefined) log.warn(warning);
  // `ccc use` is for all folders, not for the one that it runs in.
  const settle = isPersistent ? settleAnywhere : settleProject;
  const settled = supervision.kept ?? (await settle(world, paths, supervision.checks));
  const path = settled.instructions.path ?? createInstructions(world, paths, supervision);
  const { checks } = settled;
  const record: IdentifiedLaunch = {
    id: supervision.launch,
    cwd: world.cwd,
    provider,
    engine: supervision.engine,
    claude,
    version: version ?? null,
    ...recordedReviewers(plannedReviewers(provider, supervision), launch.fallback),
    // Each session has its own.
    git_folders: isPersistent ? undefined : seenGitFolders(world.cwd, world.files),
    environment: rememberEnvironment({ ...world.env, ...usersVariables(world) }),
    instructions: { ...settled.instructions, path },
    checks,
  };
  const unreviewed = isPersistent ? undefined : await lastSessionWithoutHooks(world, paths);
  if (unreviewed !== undefined) log.warn(unreviewed);
  keepLaunch(world, paths, record, launch);
  bestEffort(log.warn, "remove old copies", () => removeAbandonedCopies(world, copiesFolder(paths)));
  bestEffort(log.warn, "remove old reviews", () => removeAbandonedReviews(world));
  log.info(banner(provider, supervision) + (isPersistent ? "" : `, instructions from ${path ?? "ccc itself"}`));
  if (!isPersistent && checks.commands.length + checks.left_out.length === 0) suggest(world, paths);
  if (checks.commands.length > 0) log.info(`before each review: ${checks.commands.map(shortCommand).join("; ")}`);
  return record;
}

/** Suggests a check. If that fails, the launch continues. */
function suggest(world: World, paths: Paths): void {
  const log = createLog(world);
  bestEffort(log.warn, "suggest a check", () => {
    const command = suggestCheck(world.files, paths, world.cwd);
    if (command === undefined) return;
    const flag = `--check ${shellWord(command)}`;
    log.info(
      `no checks are set here. To run the tests before each review: ccc --supervisor ${flag}, or "checks": [${JSON.stringify(command)}] under "supervisor" in ${paths.config}`,
    );
  });
}

/** Throws what preparing a supervised launch would throw, as far as that can be known without writing. */
export function refuseSupervision(world: World, paths: Paths, { engine, checks }: Supervision): void {
  const found = findInstructions(world, paths, world.cwd, () => {}).instructions;
  refuseChecks({ own: checks, ...checkSource(found, paths.folder) }, world);
  const { own } = instructionPaths(world.cwd, paths.folder);
  if (engine !== "loop" || found.path !== null || world.files.identify(own) !== undefined) return;
  try {
    world.files.refuseWrite(own);
  } catch (error) {
    throw error instanceof CccError ? withoutInstructions(error, world, paths) : error;
  }
}

/** Refuses a supervised launch in which the hook would not run or could not review. */
export function refuseWithoutHooks(args: readonly string[], env: Env, { settings, managed }: Layers): void {
  const { hookless, isPersisted } = claudeStart(args);
  const advice = "Leave it out, or add --no-supervisor.";
  if (hookless !== undefined)
    throw usageError(`with ${hookless} Claude Code runs no hooks, so supervision cannot work`, advice);
  if (!isPersisted) {
    throw usageError(`with ${NOT_PERSISTED} there is no session to review, so supervision cannot work`, advice);
  }
  const variable = WITHOUT_HOOKS.find((name) => env[name]);
  if (variable !== undefined) {
    throw new CccError(`${variable} is set: Claude Code runs no hooks, so supervision cannot work`, { advice });
  }
  const forbidding = managed.find((layer) => layer.forbidsHooks);
  if (forbidding !== undefined) {
    throw new CccError(
      `your organization's policy does not allow your own hooks (${forbidding.path}), so supervision cannot work`,
      { advice: WITHOUT },
    );
  }
  for (const layer of managed) refuseVariable(layer, disarms, "your organization's policy");
  for (const layer of settings) refuseVariable(layer, breaksPrograms, undefined);
}

const WITHOUT = "Use --engine loop, which needs no hooks, or --no-supervisor.";

/** Refuses a variable that breaks the hook and that a launch cannot override. */
function refuseVariable(
  { path, env }: Layer,
  isFatal: (name: string, value: unknown) => boolean,
  whose: string | undefined,
): void {
  const name = Object.keys(env).find((each) => isFatal(each, env[each]));
  if (name === undefined) return;
  const file = whose === undefined ? path : `${whose} (${path})`;
  throw new CccError(`${file} sets ${name}, which would prevent every review`, { advice: WITHOUT });
}

/** Whether a variable turns hooks off, or makes ccc's hook do nothing. */
function disarms(name: string, value: unknown): boolean {
  const switches: readonly string[] = [...WITHOUT_HOOKS, REVIEWER_MARKER, "BUN_BE_BUN"];
  return breaksPrograms(name) || (switches.includes(name) && isOn(String(value)));
}

/** Whether a variable breaks ccc or garbles its output with any value, even a blank one. */
function breaksPrograms(name: string): boolean {
  return name.startsWith("BUN_JSC_") || name === "LD_TRACE_LOADED_OBJECTS" || name === "LD_SHOW_AUXV";
}

/** Whether the user gets the session of a loop at its end, and who supervises it from then on. */
export type HandOver =
  | { readonly kind: "none" }
  | { readonly kind: "supervised" }
  | { readonly kind: "unsupervised"; readonly why: string };

/** Only a user at a terminal can continue a session. From then on the hook engine supervises it, where hooks can run. */
export function plannedHandOver(
  isWanted: boolean,
  args: readonly string[],
  { env, isTerminal }: Pick<World, "env" | "isTerminal">,
  layers: Layers,
): HandOver {
  if (!isWanted || !isTerminal(0) || !isTerminal(1)) return { kind: "none" };
  try {
    refuseWithoutHooks(args, env, layers);
    return { kind: "supervised" };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { kind: "unsupervised", why: error.message };
  }
}

/** What reviews in a folder rely on. On a terminal the user is asked, once, about what comes from the project. */
export async function settleProject(world: World, paths: Paths, own: readonly string[]) {
  const instructions = await settleInstructions(world, paths);
  return {
    instructions,
    checks: await settleChecks(world, paths, { own, ...checkSource(instructions, paths.folder) }),
  };
}

async function settleAnywhere(world: World, paths: Paths, own: readonly string[]) {
  const { instructions } = findInstructions(world, paths, world.cwd, () => {});
  return { instructions, checks: await settleChecks(world, paths, { own, text: "", path: "", isProjects: false }) };
}

async function settleInstructions(world: World, paths: Paths): Promise<Instructions> {
  const log = createLog(world);
  const { instructions, others, consent } = findInstructions(world, paths, world.cwd, (message) => log.warn(message));
  const { inProject: path } = instructionPaths(world.cwd, paths.folder);
  const answer = consent?.read();
  if (consent === undefined || answer === true) return instructions;
  if (answer === false) {
    log.warn(`you declined the instructions in ${path}; to be asked again: rm ${shellWord(consent.path)}`);
    return instructions;
  }
  const session = consent.changedIn();
  if (!canAsk(world)) {
    log.warn(
      session === undefined
        ? `using the reviewer's instructions in ${path}, to which you have not agreed. To agree, run ccc --supervisor here in a terminal once`
        : `not using the reviewer's instructions in ${path}: you have not agreed to them. They appeared while an agent worked in session ${session}. To agree, run ccc --supervisor here in a terminal once`,
    );
    return instructions;
  }
  const found = readableLines(world.files.guarded(world.cwd).read(path, MOST_SHOWN) ?? "");
  if (session !== undefined)
    log.warn(`the instructions in ${path} appeared while an agent worked in session ${session}`);
  log.info(`${path} tells the reviewer how to review:`);
  for (const line of found) world.stderr(`  ${shownName(line)}\n`);
  const agreed = await world.ask.confirm("Review by these instructions of the project?", false);
  consent.save(agreed);
  return agreed ? findInstructions(world, paths, world.cwd, () => {}).instructions : others();
}

/** The beginning of a text, for a question about it. */
function readableLines(text: string): string[] {
  const lines = text.trim().split("\n");
  const rest = lines.length - MOST_LINES;
  return rest > 0 ? [...lines.slice(0, MOST_LINES), `… ${counted(rest, "more line")}`] : lines;
}

const MOST_SHOWN = 20_000;
const MOST_LINES = 20;

/** Decides which checks a launch has. On a terminal it asks the user once about a project's checks. */
async function settleChecks(
  world: World,
  paths: Paths,
  sources: CheckSources & { readonly path: string },
): Promise<SettledChecks> {
  const { path } = sources;
  const log = createLog(world);
  const { trusted, projects, untrusted, problem } = collectChecks(sources);
  if (problem !== undefined) log.warn(`the checks in ${path} do not run: ${problem}`);
  refuseChecks(sources, world);
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
    const flags = untrusted.map((command) => `--check ${shownName(shellWord(command))}`).join(" ");
    log.warn(
      `not running ${those}: you have not agreed. Run ccc --supervisor here in a terminal once, or pass ${flags}`,
    );
    return { commands: trusted, left_out: untrusted };
  }
  log.info(`${path} wants ccc to run ${projects.length === 1 ? "this" : "these"} whenever the agent stops:`);
  for (const command of projects) world.stderr(`  ${shownName(command)}\n`);
  const agreed = await world.ask.confirm("Run commands of this project? They can do whatever you can.", false);
  consent.save(agreed);
  return agreed ? all : only;
}

/** Refuses too many checks, and those that Windows cannot run. */
function refuseChecks(sources: CheckSources, { platform }: Pick<World, "platform">): void {
  const { trusted, untrusted } = collectChecks(sources);
  const commands = [...trusted, ...untrusted];
  if (commands.length > MOST_CHECKS) {
    throw usageError(`there are more than ${MOST_CHECKS} checks`, "Combine some of them in a script.");
  }
  const unquotable = commands.find((command) => platform === "win32" && /["()]/.test(command));
  if (unquotable !== undefined) {
    // cmd.exe would get them garbled, and might run something else successfully.
    throw usageError(
      `a check with quotes or parentheses does not work on Windows: ${unquotable}`,
      "Put it in a script.",
    );
  }
}

function banner(provider: string, supervision: Supervision): string {
  const { max_iterations: limit } = supervision;
  const shown = ({ provider: name, model }: ReviewerName) => (model === undefined ? name : `${name} (${model})`);
  const reviewers = plannedReviewers(provider, supervision);
  const [first, ...others] = reviewers.filter(({ isConfirmer }) => !isConfirmer).map(shown);
  const confirmed = typeof supervision.confirm === "object" ? `, confirmed by ${shown(supervision.confirm)}` : "";
  const by = (others.length === 0 ? first : `${first}, else by ${others.join(", ")}`) + confirmed;
  return `Supervisor mode enabled: ${provider}, reviewed by ${by}, at most ${counted(limit, "review")} per prompt`;
}

function versionWarning(version: string | undefined): string | undefined {
  const tested = `ccc's supervisor is tested on ${OLDEST_TESTED} to ${NEWEST_TESTED}`;
  if (version === undefined) return `could not determine the version of Claude Code; ${tested}`;
  return isTested(version) ? undefined : `this is Claude Code ${version}; ${tested}`;
}

/** A warning if no hook ran after the last supervised launch in this folder, although Claude Code answered. */
async function lastSessionWithoutHooks(world: World, paths: Paths): Promise<string | undefined> {
  try {
    const last = launchRecords(world.files, paths).last(world.cwd);
    const session = last && (await sessionWithoutHooks(world, paths, last));
    if (session === undefined) return undefined;
    return `session ${session} in this folder was NOT reviewed: since the last supervised launch, Claude Code ran none of ccc's hooks in it. Run \`ccc doctor\` to see whether hooks work; to review it now: ccc review ${session}`;
  } catch {
    // Transcripts that cannot be read are no reason not to start.
    return undefined;
  }
}

/** Variables in the user's own settings.json. Claude Code sets them, and they are as trusted as the shell's. */
function usersVariables(world: World): Record<string, string> {
  const own = readLayers(world.files, world).settings.filter(({ scope }) => scope === "user");
  return Object.fromEntries(
    own.flatMap(({ env }) => Object.entries(env).map(([name, value]) => [name, String(value)])),
  );
}

/** Saves the record for the hooks and removes old ones. */
function keepLaunch(
  world: World,
  paths: Paths,
  record: IdentifiedLaunch,
  { supervision, isPersistent }: { supervision: Supervision; isPersistent: boolean },
): void {
  const launches = launchRecords(world.files, paths);
  const { id: _, ...withoutId } = record;
  if (isPersistent) launches.saveUse(withoutId);
  else if (supervision.engine === "loop") launches.save(record);
  else launches.save({ ...record, waiting_since: world.now().toISOString() });
  launches.removeOld(record.cwd);
}

/** Creates the default SUPERVISOR.md for the user to edit, unless there is one. Returns its path, or null. */
function createInstructions(world: World, paths: Paths, { engine }: Supervision): string | null {
  const { own } = instructionPaths(world.cwd, paths.folder);
  if (world.files.identify(own) !== undefined) return null;
  try {
    world.files.create(own, DEFAULT_INSTRUCTIONS);
    createLog(world).info(`created ${own} with the reviewer's instructions; edit it as you like`);
    return own;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    if (engine === "loop") {
      throw withoutInstructions(error, world, paths);
    }
    createLog(world).warn(`${error.message}; the reviewer uses the built-in instructions`);
    return null;
  }
}

function withoutInstructions({ message }: CccError, { cwd }: World, { folder }: Paths): CccError {
  return new CccError(`no SUPERVISOR.md found, and it could not be created: ${message}`, {
    advice: `Create ${Object.values(instructionPaths(cwd, folder)).join(" or ")} with the reviewer's instructions.
Or set CCC_CONFIG_DIR to a folder that ccc may write to, with a copy of ccc.json.`,
  });
}
