import * as v from "valibot";
import {
  complaintAbout,
  complaintArguments,
  type HelpPage,
  HelpPageSchema,
  isHelperLoaded,
  NOWHERE,
  parseHelpPage,
  statusArguments,
} from "../claude/asked.ts";
import { canDo, NEWEST_TESTED, parseVersion } from "../claude/versions.ts";
import type { Paths } from "../config/paths.ts";
import { CccError, EXIT } from "../errors.ts";
import { EXEC_MARKER } from "../markers.ts";
import { join } from "../os/path.ts";
import { GUARD } from "../providers/isolation.ts";
import { withoutProvider } from "../providers/variables.ts";
import { parseJson, prettyJson } from "../text/json.ts";
import { optional, type World } from "../world.ts";
import { nextMarker, refuseLoop } from "./find.ts";
import { type Plan, settingsProof } from "./plan.ts";

/** The help of a subcommand of claude, such as ["mcp", "add"]; undefined if claude does not answer soon. */
export type ReadHelp = (subcommand: readonly string[]) => Promise<HelpPage | undefined>;

/** Reads claude's own help. Pages are cached until the program changes: the user has pressed Tab and waits. */
export function claudeHelp(world: World, claude: string, paths: Paths): ReadHelp {
  const path = join(paths.generated, "claude-help.json");
  const of = fingerprintOf(world, claude);
  const pages = { ...cached(world, path, of) };
  return async (subcommand) => {
    const name = subcommand.join(" ");
    const known = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (known !== undefined) return known;
    const page = parseHelpPage(await helpText(world, claude, paths, subcommand));
    // Not a help page: each of them lists at least --help.
    if (page.options.length === 0) return undefined;
    pages[name] = page;
    keep(world, path, JSON.stringify({ of, pages } satisfies Cache));
    return page;
  };
}

/** It takes a third of a second, on a busy machine several times that. */
const HELP_WAIT_MS = 4_000;

async function helpText(world: World, claude: string, paths: Paths, subcommand: readonly string[]): Promise<string> {
  const run = { file: claude, args: [...subcommand, "--help"], cwd: paths.folder, timeoutMs: HELP_WAIT_MS };
  try {
    const { exitCode, stdout } = await ask(world, run);
    return exitCode === 0 ? stdout : "";
  } catch (error) {
    if (error instanceof CccError) return "";
    throw error;
  }
}

function cacheSchema() {
  return v.object({ of: v.string(), pages: v.record(v.string(), HelpPageSchema) });
}

type Cache = v.InferOutput<ReturnType<typeof cacheSchema>>;

function cached({ files }: World, path: string, of: string): Cache["pages"] {
  try {
    const { success, output } = v.safeParse(cacheSchema(), parseJson(files.read(path) ?? ""));
    return success && output.of === of ? output.pages : {};
  } catch (error) {
    if (error instanceof CccError) return {};
    throw error;
  }
}

/** In a read-only home everything is asked again. */
function keep({ files }: World, path: string, text: string): void {
  optional(() => files.writePrivate(path, text));
}

/** The version of a claude. The answer is cached until the program changes. */
export async function claudeVersion(world: World, claude: string, paths: Paths): Promise<string | undefined> {
  const known = knownVersion(world, claude, paths);
  if (known !== undefined) return known;
  const version = await askVersion(world, claude);
  if (version !== undefined) keep(world, cachePath(paths), `${fingerprintOf(world, claude)}\n${version}\n`);
  return version;
}

/** The version for a dry run, which runs nothing: the cached one, else a current one. */
export function assumedVersion(world: World, claude: string, paths: Paths): string {
  return knownVersion(world, claude, paths) ?? NEWEST_TESTED;
}

function knownVersion(world: World, claude: string, paths: Paths): string | undefined {
  const [fingerprint, version] = (optional(() => world.files.read(cachePath(paths))) ?? "").split("\n");
  return fingerprint === fingerprintOf(world, claude) ? version || undefined : undefined;
}

function cachePath(paths: Paths): string {
  return join(paths.generated, "claude-version");
}

/** Changes with the program. */
function fingerprintOf(world: World, claude: string): string {
  const found = world.files.identify(claude);
  return JSON.stringify([claude, found?.id, found?.size]);
}

const VERSION_WAIT_MS = 5_000;

export async function askVersion(world: World, claude: string): Promise<string | undefined> {
  let version: string | undefined;
  try {
    const { ending, stderr } = await world.run({
      program: { file: claude, args: ["--version"], env: { ...world.env, [EXEC_MARKER]: nextMarker(world, true) } },
      cwd: world.cwd,
      stdin: "",
      timeoutMs: VERSION_WAIT_MS,
      isBrief: true,
      onLine: (line) => {
        version ??= line && parseVersion(new TextDecoder().decode(line));
        return false;
      },
    });
    if (ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
    refuseLoop(claude, stderr);
  } catch (error) {
    // If claude cannot be run at all, the launch will report it.
    if (error instanceof CccError && (error.exitCode === EXIT.interrupted || error.exitCode === EXIT.noClaude))
      throw error;
  }
  return version;
}

/** Asks Claude Code whether it loads the settings of a plan, and refuses the launch if not. Takes a second, once. */
export async function proveSettings(plan: Plan, world: World, paths: Paths): Promise<Plan> {
  const version = await claudeVersion(world, plan.file, paths);
  // Older versions do not say. They start no service that would inherit the guard.
  const guarded = { ...plan, set: GUARD };
  if (!canDo(version, "backgroundSessions")) return guarded;
  const { path, content } = plan.settings.agent;
  const write = (file: string) => {
    world.files.writePrivate(file, prettyJson(content));
    return file;
  };
  // In a read-only home, a copy is as good.
  const scratch = optional(() => write(path)) === undefined ? world.scratch() : undefined;
  try {
    const asked = scratch === undefined ? path : write(join(scratch.path, "settings.json"));
    const problem = await loadingProblem(asked, { world, file: plan.file, cwd: scratch?.path ?? paths.generated });
    if (problem === undefined) return guarded;
    if (!problem.isLoaded) throw notLoaded(plan.provider, problem.complaint, paths);
  } finally {
    scratch?.remove();
  }
  settingsProof(plan, world, paths).keep();
  return plan;
}

/** Whether Claude Code loads a settings file, and if not, its complaint. Undefined if it does not say. */
async function loadingProblem(
  settings: string,
  { world, ...where }: Pick<Question, "file" | "cwd"> & { readonly world: World },
): Promise<{ readonly isLoaded: boolean; readonly complaint: string | undefined } | undefined> {
  const askAbout = async (args: readonly string[]) => {
    const answer = await ask(world, { ...where, args, env: NOWHERE, timeoutMs: PROOF_WAIT_MS });
    if (answer.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
    return answer;
  };
  const isLoaded = isHelperLoaded((await askAbout(statusArguments(settings))).stdout);
  if (isLoaded === undefined) return undefined;
  if (isLoaded) return { isLoaded, complaint: undefined };
  const { stderr } = await askAbout(complaintArguments(settings));
  return { isLoaded, complaint: complaintAbout(settings, stderr) };
}

const PROOF_WAIT_MS = 20_000;

interface Question {
  readonly file: string;
  readonly args: readonly string[];
  /** In addition to the shell's. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of ccc, where no project can interfere. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** Runs claude without any provider, and collects what it prints. */
async function ask(world: World, { file, args, env = {}, cwd, timeoutMs }: Question) {
  let stdout = "";
  const result = await world.run({
    program: { file, args, env: { ...withoutProvider(world.env), ...env, [EXEC_MARKER]: nextMarker(world, true) } },
    cwd,
    stdin: "",
    timeoutMs,
    onLine: (line) => {
      stdout += `${new TextDecoder().decode(line)}\n`;
      return false;
    },
  });
  return { ...result, stdout };
}

function notLoaded(provider: string, complaint: string | undefined, { config }: Paths): CccError {
  const what = `Claude Code does not load the settings of provider "${provider}"`;
  return new CccError(complaint === undefined ? what : `${what}: ${complaint}`, {
    advice: `It would drop the provider's server and key with them. Correct it in ${config}, or in the file given with --settings.`,
  });
}
