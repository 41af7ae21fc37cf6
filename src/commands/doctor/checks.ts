import { dirname } from "node:path";
import { docsPage } from "../../build-info.ts";
import { cloudOf, readClaudeState } from "../../claude/connection.ts";
import { type Layers, readLayers } from "../../claude/layers.ts";
import { transcriptsSince } from "../../claude/sessions.ts";
import { isTested, NEWEST_TESTED, OLDEST_TESTED } from "../../claude/versions.ts";
import { type Engine, SUPERVISOR_DEFAULTS, supervisorSettings } from "../../config/defaults.ts";
import { chooseProvider, type LoadedConfig } from "../../config/load.ts";
import { cccPaths, type Paths } from "../../config/paths.ts";
import { allPins, type Pin } from "../../config/pins.ts";
import { ConfigSchema } from "../../config/schema.ts";
import { CccError, EXIT, messageOf } from "../../errors.ts";
import { askVersion } from "../../launch/ask-claude.ts";
import { findClaude } from "../../launch/find.ts";
import { presetUpdate } from "../../providers/presets.ts";
import { kindOf } from "../../providers/variables.ts";
import { findRepository } from "../../supervisor/changes/snapshot.ts";
import { splitInstructions } from "../../supervisor/checks/commands.ts";
import { launchProbe } from "../../supervisor/launch.ts";
import { stateFolder } from "../../supervisor/project.ts";
import { obviousCheck } from "../../supervisor/proof/proof.ts";
import { launchRecords } from "../../supervisor/record/launch.ts";
import { missedReview, sessionWithoutHooks } from "../../supervisor/record/missed.ts";
import { openSession } from "../../supervisor/record/session.ts";
import { readStops } from "../../supervisor/record/stops.ts";
import { readLastAnswer } from "../../supervisor/record/transcript.ts";
import { instructionPaths } from "../../supervisor/review/instructions.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { currentLaunch } from "../arguments.ts";
import { usePlaces, useStatus } from "../use/switch.ts";
import { requestIdentity, validateProvider } from "../validate/validate.ts";
import { fixableFiles } from "./fixable.ts";
import { type Check, fail, liveChecks, ok, warn } from "./live.ts";

/** Runs the checks one after another. If `provider` is set, the checks of providers are about that one only. */
export async function* doctorChecks(
  world: World,
  loaded: LoadedConfig | CccError,
  provider: string | undefined,
): AsyncGenerator<Check> {
  const paths = cccPaths(world);
  const claude = await foundClaude(world);
  if (claude instanceof CccError) yield fail("claude", claude.message, claude.advice ?? "");
  else yield checkVersion(claude.file, claude.version);
  yield checkOwnPath(world);

  const layers = attempted(() => readLayers(world.files, world));
  if (loaded instanceof CccError)
    yield fail("ccc.json", loaded.message, loaded.advice ?? `Make ${paths.config} a file that you can read.`);
  if (layers instanceof CccError) yield failed("managed policy", layers);
  if (!(loaded instanceof CccError)) {
    yield checkConfigKeys(loaded);
    yield* checkLaunches(world, loaded, provider);
    if (provider !== undefined) yield* checkServer(world, loaded, provider);
    yield checkPresets(loaded, provider);
    yield checkUse(world, loaded);
  }
  if (!(layers instanceof CccError)) {
    yield checkConflicts(layers, world);
    yield checkHooks(layers, loaded instanceof CccError ? undefined : loaded.config.supervisor?.engine);
  }
  yield checkTrust(world);
  yield checkInstructions(world, paths);
  if (!(loaded instanceof CccError)) yield checkProof(world, paths, loaded);
  yield checkStateFolder(world);
  yield* checkFiles(world, paths);
  yield await checkRecentReviews(world, paths);
  if (!(claude instanceof CccError)) yield* liveChecks(world, paths, claude, loaded);
}

/** The result, or the error that prevents it. */
export function attempted<T>(action: () => T): T | CccError {
  try {
    return action();
  } catch (error) {
    return error instanceof CccError ? error : new CccError(messageOf(error));
  }
}

/** The claude that a launch would run, or why there is none. */
async function foundClaude(world: World): Promise<{ file: string; version: string | undefined } | CccError> {
  try {
    const file = findClaude(world);
    return { file, version: await askVersion(world, file) };
  } catch (error) {
    if (error instanceof CccError && error.exitCode === EXIT.noClaude) return error;
    throw error;
  }
}

function checkVersion(claude: string, version: string | undefined): Check {
  const range = `the supervisor is tested on ${OLDEST_TESTED} to ${NEWEST_TESTED}`;
  if (version === undefined) return warn("claude version", `${claude} does not report its version`, range);
  if (isTested(version)) return ok("claude version", `${version}, ${claude}`);
  const isOld = Bun.semver.order(version, OLDEST_TESTED) < 0;
  if (isOld) return fail("claude version", `${version} is too old; ${range}`, "Update it: claude update");
  return warn(
    "claude version",
    `${version} is newer than the tested versions; ${range}`,
    "If the live checks below pass, this is fine.",
  );
}

function checkOwnPath({ self, env }: World): Check {
  const temporary = ["/tmp/", "/var/folders/", "/private/tmp/", `${env.TMPDIR || "/tmp"}/`].some((folder) =>
    self.startsWith(folder),
  );
  if (!temporary) return ok("ccc path", self);
  return warn(
    "ccc path",
    `${self} is in a temporary folder, but hooks call it by that path`,
    "Install ccc in a permanent folder, for example ~/.local/bin.",
  );
}

function checkConfigKeys({ config, providers }: LoadedConfig): Check {
  const detail = counted(providers.size, "provider");
  const unknown = Object.keys(config).filter((key) => !Object.hasOwn(ConfigSchema.entries, key));
  if (unknown.length === 0) return ok("ccc.json", detail);
  return warn(
    "ccc.json",
    `${detail}; ${counted(unknown.length, "unknown key")}: ${unknown.join(", ")}`,
    `ccc keeps what it does not know, and ignores it. For what it knows, see ${docsPage("configuration.md")}`,
  );
}

/** Whether each provider, or only `only`, can be launched, without and with supervision. */
async function* checkLaunches(world: World, loaded: LoadedConfig, only: string | undefined): AsyncGenerator<Check> {
  const probe = launchProbe(world, loaded);
  const supervised = new Map<string, CccError>();
  for (const name of only === undefined ? loaded.providers.keys() : [only]) {
    const launch = currentLaunch(world, loaded, name);
    const found = await probe(name, false);
    // A missing claude has a check of its own.
    const problem = found?.exitCode === EXIT.noClaude ? launch.problem : found;
    const { env } = launch.configured;
    if (problem !== undefined) yield failed(`provider ${name}`, problem);
    else
      yield ok(
        `provider ${name}`,
        env.ANTHROPIC_BASE_URL ? "address and key are set" : (cloudOf(env)?.host ?? "Anthropic"),
      );
    const more = await probe(name, true);
    if (more !== undefined && more.message !== found?.message) supervised.set(more.message, more);
  }
  yield checkSupervisor([...supervised.values()]);
  if (only === undefined) yield* checkChoices(loaded);
}

/** Whether the server accepts the provider's key. Only for a provider that the user names: it is a real request. */
async function* checkServer(world: World, loaded: LoadedConfig, provider: string): AsyncGenerator<Check> {
  // The launch check reports an unavailable key.
  const identity = await requestIdentity(loaded, provider, world).catch(asCccError);
  if (identity instanceof CccError) return;
  const { status, detail, advice } = await validateProvider(identity, world.fetch);
  yield status === "invalid" ? fail(`server ${provider}`, detail, advice) : ok(`server ${provider}`, detail);
}

function asCccError(error: unknown): CccError {
  if (error instanceof CccError) return error;
  throw error;
}

/** Problems of supervised launches that plain ones do not have. */
function checkSupervisor([first, ...others]: readonly CccError[]): Check {
  if (first === undefined) return ok("supervisor", "nothing prevents a supervised launch");
  const { status, name, detail, advice } = failed("supervisor", first);
  return { name, status, detail: [detail, ...others.map(({ message }) => message)].join("; "), advice };
}

/** Whether launches that name no provider find one: the current one, or the one that a folder is pinned to. */
function* checkChoices(loaded: LoadedConfig): Generator<Check> {
  const choice = (pin: Pin | undefined) => attempted(() => chooseProvider(loaded, pin).provider);
  const current = choice(undefined);
  yield current instanceof CccError ? failed("current provider", current) : ok("current provider", current);
  const pins = allPins(loaded.config);
  const broken = pins.map(choice).filter((each) => each instanceof CccError);
  for (const problem of broken) yield failed("pins", problem);
  if (broken.length === 0) yield ok("pins", pins.length === 0 ? "none" : counted(pins.length, "folder"));
}

function failed(name: string, { message, advice }: CccError): Check {
  return fail(name, message, advice ?? adviceOn(message));
}

function adviceOn(message: string): string {
  if (message.startsWith("cannot read ")) return "Make that path a file that you can read.";
  return message.startsWith("cannot write ")
    ? "Make that path writable, or copy ccc.json to a writable folder and set CCC_CONFIG_DIR to that."
    : "Fix it in ccc.json.";
}

/** Whether presets have changed since providers were created from them. Guesses are left to `ccc provider update`. */
function checkPresets({ config }: LoadedConfig, only: string | undefined): Check {
  const names = Object.keys(config.providers ?? {}).filter((name) => only === undefined || name === only);
  const behind = names.filter((name) => {
    const update = presetUpdate(name, config.providers?.[name] ?? {});
    return update?.isNeeded && !update.isGuess;
  });
  if (behind.length === 0) return ok("presets", "no provider is behind its preset");
  const [one, ...more] = behind;
  return warn(
    "presets",
    `${behind.join(", ")}: the preset has changed since, so models may be outdated`,
    `To see what differs, and update: ccc provider update ${more.length === 0 ? one : "--all"}`,
  );
}

function checkUse(world: World, loaded: LoadedConfig): Check {
  const status = attempted(() => useStatus(usePlaces(world)));
  if (status instanceof CccError)
    return fail("ccc use", status.message, status.advice ?? "Make that file readable for you.");
  if (status === undefined) return ok("ccc use", "not in use");
  const { provider, supervised, changed } = status;
  if (!loaded.providers.has(provider)) {
    return fail("ccc use", `plain claude uses ${provider}, which is no longer in ccc.json`, "ccc use --reset");
  }
  if (changed.length === 0) return ok("ccc use", `plain claude uses ${provider}${supervised ? ", supervised" : ""}`);
  return warn(
    "ccc use",
    `settings.json no longer says what ccc put there for ${provider}: ${changed.join(", ")}`,
    `ccc use ${supervised ? "--supervisor " : ""}${provider}, or ccc use --reset`,
  );
}

/** Variables, helpers and logins that plain claude would mix with the provider's. */
function checkConflicts(layers: Layers, world: World): Check {
  const found = [
    ...named(world.env).map((name) => `${name} in the shell`),
    ...layers.settings.flatMap((layer) => named(layer.env).map((name) => `${name} in ${layer.path}`)),
    ...layers.settings.filter((layer) => layer.apiKeyHelper).map((layer) => `apiKeyHelper in ${layer.path}`),
    ...(readClaudeState(world.files, world).logins.hasKey ? ["an API key stored by a login"] : []),
  ];
  if (found.length === 0) return ok("conflicting variables", "none");
  return warn(
    "conflicting variables",
    found.join("; "),
    "ccc ignores them in favour of the provider; plain claude would use them. Details: ccc why",
  );
}

function named(env: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(env).filter((name) => env[name] && kindOf(name) !== undefined);
}

function checkHooks(layers: Layers, engine: Engine = SUPERVISOR_DEFAULTS.engine): Check {
  const policy = layers.managed.find((layer) => layer.forbidsHooks);
  if (policy !== undefined) {
    const detail = `your organization's policy does not allow your hooks (${policy.path})`;
    if (engine === "loop") return warn("hooks allowed", detail, "Your engine, loop, needs none.");
    return fail("hooks allowed", detail, "Use --engine loop, which needs no hooks.");
  }
  const settings = layers.settings.filter((layer) => layer.forbidsHooks).map((layer) => layer.path);
  if (settings.length === 0) return ok("hooks allowed", "nothing forbids them");
  return warn(
    "hooks allowed",
    `disableAllHooks in ${settings.join(", ")}`,
    "A supervised launch overrides that; plain claude does not.",
  );
}

function checkTrust(world: World): Check {
  const { files, cwd } = world;
  if (readClaudeState(files, world).trusts(cwd)) return ok("folder trusted", cwd);
  return warn(
    "folder trusted",
    `Claude Code does not trust ${cwd} yet, so in a terminal it runs no hooks there`,
    "Start claude there once and accept the trust dialog.",
  );
}

function checkInstructions(world: World, paths: Paths): Check {
  for (const path of Object.values(instructionPaths(world.cwd, paths.folder))) {
    try {
      const text = world.files.read(path);
      if (text === undefined) continue;
      const { problem } = splitInstructions(text);
      if (problem !== undefined)
        return warn("SUPERVISOR.md", `the checks in ${path} do not run: ${problem}`, "Correct its front matter.");
      if (text.trim() !== "") return ok("SUPERVISOR.md", path);
      return warn(
        "SUPERVISOR.md",
        `${path} is empty, so it is ignored`,
        "Write instructions for the reviewer, or remove it.",
      );
    } catch (error) {
      return warn("SUPERVISOR.md", messageOf(error), "Make it a text file, or remove it.");
    }
  }
  return ok("SUPERVISOR.md", "none yet: the first supervised launch creates one");
}

/** Whether stops in this folder are proved, and if not, why. */
function checkProof({ files, cwd }: World, paths: Paths, { config }: LoadedConfig): Check {
  const { proof, checks } = supervisorSettings(config);
  const texts = Object.values(instructionPaths(cwd, paths.folder)).map((path) => attempted(() => files.read(path)));
  const others = texts.flatMap((text) => (typeof text === "string" ? splitInstructions(text).checks : []));
  const count = new Set([...checks, ...others]).size;
  if (!proof) return ok("proof", "off: supervisor.proof is false");
  if (count > 0) {
    const isKnown = findRepository(files, cwd) !== undefined;
    return ok("proof", isKnown ? `on, with ${counted(count, "check")}` : "none here: not a git repository");
  }
  const command = obviousCheck(files, cwd);
  const how = command === undefined ? "" : `; to set one: "checks": [${JSON.stringify(command)}] under "supervisor"`;
  return ok("proof", `none here: no checks are set${how}`);
}

function checkStateFolder({ files, cwd }: World): Check {
  const folder = stateFolder(cwd);
  let nearest = folder;
  while (files.identify(nearest) === undefined && dirname(nearest) !== nearest) nearest = dirname(nearest);
  const found = files.identify(nearest);
  if (found?.isFolder && files.canWrite(nearest)) return ok("state folder", folder);
  return warn(
    "state folder",
    `${folder} is not writable because of ${nearest}`,
    "Reviews work, but their record is only in ccc's own folder. Make it writable to have a copy in the project.",
  );
}

function* checkFiles(world: World, paths: Paths): Generator<Check> {
  const found = attempted(() => fixableFiles(world, paths));
  if (found instanceof CccError)
    return yield fail(
      "files",
      found.message,
      found.advice ?? `Make yourself the owner of ${paths.generated} and everything in it.`,
    );
  const { links, open, locks, temporary } = found;
  if (links.length > 0)
    yield warn("editors", `programs that resolve ${links.join(", ")} start the current provider instead`, FIX);
  yield open.length === 0
    ? ok("ccc.json private", paths.config)
    : warn("ccc.json private", `other users of this machine can read ${open.join(" and ")}`, FIX);
  yield locks.length === 0
    ? ok("locks", "none stale")
    : warn("locks", `left by processes that are gone: ${locks.join(", ")}`, `The next ccc takes them over. ${FIX}`);
  yield temporary.length === 0
    ? ok("temporary files", "none left")
    : warn(
        "temporary files",
        `left by processes that were killed: ${temporary.join(", ")}`,
        `They may hold keys. ${FIX}`,
      );
}

const FIX = "To fix it: ccc doctor --fix";

/** Whether the last answer of each recent supervised session was reviewed. */
async function checkRecentReviews(world: World, paths: Paths): Promise<Check> {
  let missed: string[];
  try {
    missed = [...(await withoutReview(world, paths)), ...(await withoutHooks(world, paths))];
  } catch (error) {
    return warn("recent reviews", messageOf(error), "Make it readable for you, so that missed reviews can be found.");
  }
  if (missed.length === 0) return ok("recent reviews", `none missed in the last ${DAYS} days`);
  const more = missed.length > MOST_SHOWN ? `, and ${missed.length - MOST_SHOWN} more` : "";
  return warn(
    "recent reviews",
    `NOT reviewed: ${missed.slice(0, MOST_SHOWN).join("; ")}${more}`,
    "Look at the live checks: do hooks run now? To have such work reviewed: ccc review SESSION, in its folder.",
  );
}

const DAYS = 7;

const MOST_SHOWN = 5;

/** The Stop hook of a more recent answer may just be starting. */
const YOUNGEST_MS = 10_000;

async function withoutReview(world: World, paths: Paths): Promise<string[]> {
  const now = world.now().getTime();
  const missed: string[] = [];
  for (const { id, transcript } of transcriptsSince(world.files, world, now - DAYS * 24 * 3600 * 1000)) {
    const record = openSession(world.files, paths, id);
    const prompts = record.prompts.read();
    if (prompts === undefined) continue;
    const answer = await readLastAnswer(transcript);
    if (answer === undefined || now - Date.parse(answer.at) < YOUNGEST_MS) continue;
    const why = missedReview({ answer, prompts, stops: readStops(record, world.isAlive) });
    if (why !== undefined) missed.push(`session ${id} in ${answer.cwd ?? "an unknown folder"} (${WHY[why]})`);
  }
  return missed;
}

const WHY = { "not run": "its Stop hook did not run", "cut off": "its Stop hook was killed too early" } as const;

async function withoutHooks(world: World, paths: Paths): Promise<string[]> {
  const missed: string[] = [];
  for (const launch of launchRecords(world.files, paths).lastOfAll()) {
    const session = await sessionWithoutHooks(world, paths, launch);
    if (session !== undefined) missed.push(`session ${session} in ${launch.cwd} (none of ccc's hooks ran)`);
  }
  return missed;
}
