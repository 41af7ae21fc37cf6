import { basename, dirname } from "node:path";
import * as v from "valibot";
import { reviewerRun, type SandboxRules, settingsForReviewer, userLine } from "../../claude/runs.ts";
import type { Paths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { isAbsolute, join } from "../../os/path.ts";
import { sandboxEnvironment, startSandbox } from "../../sandbox/sandbox.ts";
import { shellWord } from "../../text/shell.ts";
import { homedir, optional, programFolders, type World } from "../../world.ts";
import type { BaselinePlace } from "../changes/baseline.ts";
import { findRepository, type Repository } from "../changes/snapshot.ts";
import { isWithin } from "../guard/places.ts";
import { HOME_SECRETS, hasSecretName, SYSTEM_SECRETS } from "../guard/secret-names.ts";
import { bestEffort, type SupervisorLog } from "../project.ts";
import { giveHistory, makeRepository, openScratch, removeAbandonedCopies, type ScratchCopy } from "../proof/scratch.ts";
import { NoCopy, readTrees } from "../proof/trees.ts";
import { type Baseline, recordFile } from "../record/session.ts";

/**
 * Claude Code's own sandbox for reviewers, with the kernel behind it: any command, no network, no write outside of a scratch
 * copy of the project, and nothing to read that the guard would refuse.
 */

/** Whether reviews can run in it; if not, why, and what to do. */
type SandboxFinding = { readonly why?: undefined } | NoSandbox;

export interface NoSandbox {
  readonly why: string;
  readonly advice: string;
}

/** The Claude Code that reviews, and the project. */
interface TriedClaude {
  readonly claude: string;
  readonly version: string | null | undefined;
  readonly project?: string;
}

/**
 * Finds out whether there is a sandbox. What the system lacks is found quickly. Whether this Claude Code enforces what ccc asks
 * of its sandbox takes seconds, so it is tried once for each machine and version, and kept. `isAnew`: tries again.
 */
export async function findSandbox(
  world: World,
  paths: Pick<Paths, "generated">,
  { claude, version, project = "/" }: TriedClaude,
  isAnew = false,
): Promise<SandboxFinding> {
  const missing = missingIn(world);
  if (missing !== undefined) return missing;
  const kept = recordFile(world.files, join(paths.generated, "sandbox.json"), TrialSchema());
  const machine = world.files.read("/etc/machine-id")?.trim() ?? "";
  const tried = { machine, claude, version: version ?? "" };
  const known = optional(kept.read);
  const isKnown = known?.machine === machine && known.claude === claude && known.version === tried.version;
  // A kept failure needs no look at the system. A kept success does: the sandbox is all that holds a reviewer back.
  const forbidden = isKnown && !isAnew && known.why !== null ? undefined : await forbiddenIn(world);
  const refused = forbidden ?? coveredIn(world, project);
  if (refused !== undefined) return refused;
  const why = isKnown && !isAnew ? known.why : await tryOut(world, claude).catch(unprepared);
  if (why !== null && typeof why !== "string") return why;
  if (!isKnown || isAnew) optional(() => kept.save({ ...tried, why }));
  return why === null ? {} : { why, advice: "Update Claude Code (claude update), then run ccc doctor." };
}

/** That says nothing about Claude Code, so it is not kept. */
export function unprepared(error: unknown): NoSandbox {
  const advice = "Set XDG_CACHE_HOME to a folder in which ccc may write.";
  return { why: `it cannot be prepared: ${messageOf(error)}`, advice };
}

function TrialSchema() {
  return v.object({ machine: v.string(), claude: v.string(), version: v.string(), why: v.nullable(v.string()) });
}

/** The programs, and their packages. */
const NEEDED = [
  { program: "bwrap", package: "bubblewrap" },
  { program: "socat", package: "socat" },
];

/** What the system lacks. macOS lacks nothing. */
function missingIn(world: World): SandboxFinding | undefined {
  const { platform } = world;
  if (platform === "darwin") return undefined;
  if (platform !== "linux") return { why: "Claude Code has none on this system", advice: "" };
  const lacking = NEEDED.filter(({ program }) => pathOf(world, program) === undefined).map((each) => each.package);
  if (lacking.length === 0) return undefined;
  return { why: `missing: ${lacking.join(" and ")}`, advice: `apt-get install ${lacking.join(" ")}` };
}

/** The sandbox has its own /dev and /proc, whatever ccc asks for. */
function coveredIn(world: World, project: string): SandboxFinding | undefined {
  const places = [project, reviewsFolder(world), world.env.TMPDIR ?? ""];
  const covered = places.find((path) => isWithin(path, "/dev", "/proc"));
  if (world.platform !== "linux" || covered === undefined) return undefined;
  const advice = "Have the project, XDG_CACHE_HOME and TMPDIR elsewhere.";
  return { why: `${shownName(covered)} is not visible in it`, advice };
}

function pathOf({ env, platform, files }: World, program: string): string | undefined {
  return programFolders(env, platform)
    .map((folder) => join(folder, program))
    .find((path) => files.identify(path)?.isExecutable);
}

/** Whether Linux forbids what the sandbox needs. */
async function forbiddenIn(world: World): Promise<SandboxFinding | undefined> {
  const { platform, env } = world;
  if (platform !== "linux") return undefined;
  const program = { file: pathOf(world, "bwrap") ?? "", args: NAMESPACES, env };
  try {
    const { exitCode, stderr } = await world.run({
      program,
      cwd: "/",
      stdin: "",
      timeoutMs: QUICK_MS,
      onLine: () => false,
    });
    if (exitCode === 0) return undefined;
    const said = shownName(stderr.trim().slice(-LONGEST_REASON));
    return {
      why: `user namespaces are forbidden here${said === "" ? "" : ` (${said})`}`,
      advice: ALLOW,
    };
  } catch (error) {
    return { why: `bubblewrap does not start: ${messageOf(error)}`, advice: "" };
  }
}

const NAMESPACES = "--unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc true".split(" ");
const QUICK_MS = 10_000;
const LONGEST_REASON = 200;
const ALLOW =
  "Allow them: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu sysctl kernel.apparmor_restrict_unprivileged_userns=0; in a container, in its security profile.";

const LONGEST_TRIAL_MS = 60_000;
const UNSET = "TRIAL_KEY";
const [HIDDEN, RAN, CONNECTED] = ["CCC-HIDDEN-FILE", "CCC-TRIAL-RAN", "CCC-TRIAL-CONNECTED"] as const;

/** Runs one command of a scripted model in the sandbox: it must run, and nothing forbidden may succeed. Returns why not. */
async function tryOut(world: World, claude: string): Promise<string | null> {
  const { files } = world;
  const scratch = join(reviewsFolder(world), `${world.pid}-trial`);
  const at = (name: string) => join(scratch, name);
  let seen: string | undefined;
  const server = startSandbox(({ body }, index) => {
    if (index === 0) return { use: "Bash", input: { command, description: "Try the sandbox" } };
    seen ??= JSON.stringify(body.messages);
    return { say: "done" };
  });
  const command = [
    `cat ${shellWord(at("hidden/file"))}`,
    `echo "$${UNSET}"`,
    `echo x > ${shellWord(at("outside/file"))}`,
    `(exec 3<>/dev/tcp/127.0.0.1/${new URL(server.url).port}) && echo CCC-TRIAL-"CONNECTED"`,
    `[ -w /proc/sys/kernel/core_pattern ] && echo CCC-HIDDEN-"FILE"`,
    'echo x > file && echo CCC-TRIAL-"RAN"',
  ].join("; ");
  try {
    for (const name of ["work", "outside", "tmp"]) files.makeFolder(at(name));
    files.writePrivate(at("hidden/file"), `${HIDDEN}\n`);
    const identity = { env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" } };
    const rules = { mayWrite: [], hidden: [at("hidden")], shown: [], unset: [UNSET] };
    const settings = settingsForReviewer(identity, [], rules);
    files.writePrivate(at("settings.json"), JSON.stringify(settings));
    const run = reviewerRun({ ...TRIAL, settings: at("settings.json") }, {});
    // As in a review: sockets are there, and a long path would be too long for them.
    const { TMPDIR } = world.env;
    const environment = sandboxEnvironment(world.env, scratch, claude);
    const PATH = [coverProc(world, at("programs")) ?? [], environment.PATH ?? ""].flat().join(":");
    const env = { ...environment, TMPDIR, ...run.env, [TEMPORARY]: at("tmp"), PATH };
    const { stderr } = await world.run({
      program: { file: claude, args: run.args, env: { ...env, [UNSET]: HIDDEN } },
      cwd: at("work"),
      stdin: userLine("Try the sandbox."),
      timeoutMs: LONGEST_TRIAL_MS,
      onLine: () => seen !== undefined,
    });
    if (seen === undefined) return `Claude Code ran nothing in it (${shownName(stderr.trim().slice(-LONGEST_REASON))})`;
    const because = /Sandbox is required but ([^"\\]{1,200})/.exec(seen)?.[1] ?? "";
    if (!seen.includes(RAN)) return `Claude Code does not run commands in it${because && ` (${because})`}`;
    const isKept = !seen.includes(HIDDEN) && !seen.includes(CONNECTED) && !files.exists(at("outside/file"));
    return isKept ? null : "this Claude Code does not keep all that ccc asks of it";
  } finally {
    await server.stop();
    // A program that is just ending may still write there. Then a later launch removes it.
    optional(() => files.removeFolder(scratch));
  }
}

const TRIAL = {
  way: "fresh",
  sessionId: "",
  systemPrompt: undefined,
  schema: undefined,
  mayRun: [],
  mayNotRead: [],
  retries: 0,
  isSandboxed: true,
} as const;

/** Where Claude Code and its commands keep temporary files. */
const TEMPORARY = "CLAUDE_CODE_TMPDIR";

/** A project that is reviewed in a sandbox. */
interface SandboxedProject extends BaselinePlace {
  readonly world: World;
  readonly baseline: Baseline | undefined;
  readonly log: Pick<SupervisorLog, "say">;
}

/** The sandbox of one review, which is removed at its end. */
export interface ReviewSandbox {
  /** Where the reviewer starts. */
  readonly cwd: string;
  /** The folders that it may read although they are ccc's. */
  readonly scratch: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A folder that must come first in its PATH. */
  readonly programs: string | undefined;
  /** Describes it, for the reviewer's message. */
  readonly about: string;
  readonly rules: (
    may: { readonly read: readonly string[]; readonly files: readonly string[] },
    unset: readonly string[],
  ) => SandboxRules;
  /** Keeps the reviewer's settings where its commands cannot read them. */
  readonly keepSettings: (text: string) => string;
  /** Replaces the copy's paths by the project's, in a line of the reviewer's output. */
  readonly translate: (line: Uint8Array) => Uint8Array;
  readonly close: () => void;
}

/** Makes a copy of the project as it is now, with its history, or an empty folder where that is impossible. */
export async function openSandbox({ world, baseline, log, ...place }: SandboxedProject): Promise<ReviewSandbox> {
  const { files } = world;
  const { project, paths } = place;
  const repository = findRepository(files, project);
  const made = await copyOf(world, place, baseline);
  const { top, folder, close } = made;
  const temporary = `${top}-tmp`;
  files.makeFolder(temporary);
  const settings = `${top}-settings`;
  const programs = coverProc(world, settings);
  const from = Buffer.from(JSON.stringify(top).slice(1, -1));
  const into = JSON.stringify("why" in made ? top : (repository?.top ?? project)).slice(1, -1);
  return {
    cwd: folder,
    scratch: [top],
    env: { [TEMPORARY]: temporary },
    programs,
    about: describePlace(made, project),
    rules: (may, unset) => sandboxRules(world, { ...may, paths, top, repository }, unset),
    keepSettings: (text) => {
      const path = join(settings, "settings.json");
      files.writePrivate(path, text);
      return path;
    },
    translate: (line) =>
      Buffer.from(line.buffer, line.byteOffset, line.byteLength).includes(from)
        ? Buffer.from(new TextDecoder().decode(line).replaceAll(from.toString(), into))
        : line,
    close: () => {
      for (const remove of [() => files.removeFolder(settings), () => files.removeFolder(temporary), close])
        bestEffort(log.say, "remove what was made for a review", remove);
    },
  };
}

/**
 * Makes a bwrap that also makes /proc/sys read-only, which bubblewrap leaves writable for root: what is written there can
 * have the kernel start programs outside of any sandbox.
 */
function coverProc(world: World, folder: string): string | undefined {
  const bwrap = world.platform === "linux" ? pathOf(world, "bwrap") : undefined;
  if (bwrap === undefined) return undefined;
  world.files.create(join(folder, "bwrap.sh"), INSERTS_COVER);
  world.files.wrapProgram(join(folder, "bwrap"), "/bin/sh", [join(folder, "bwrap.sh"), bwrap]);
  return folder;
}

const INSERTS_COVER = `bwrap=$1; shift
for each; do
  shift; set -- "$@" "$each"
  [ "$before" = --proc ] && set -- "$@" --ro-bind /proc/sys /proc/sys
  before=$each
done
exec "$bwrap" "$@"
`;

/** Outside Claude Code's own folder, where it protects every file from commands. */
function reviewsFolder({ env, platform }: Pick<World, "env" | "platform">): string {
  const cache = env.XDG_CACHE_HOME ?? "";
  return join(isAbsolute(cache) ? cache : join(homedir(env, platform), ".cache"), "ccc/reviews");
}

/** Removes what reviews left behind when their ccc was killed. */
export function removeAbandonedReviews(world: World): void {
  removeAbandonedCopies(world, reviewsFolder(world));
}

type MadeCopy =
  | (ScratchCopy & { readonly leftOut: readonly string[] })
  | (Pick<ScratchCopy, "top" | "folder" | "close"> & { readonly why: string });

async function copyOf(world: World, place: BaselinePlace, baseline: Baseline | undefined): Promise<MadeCopy> {
  const { files } = world;
  try {
    const trees = await readTrees(world, place, baseline);
    const leftOut = [...trees.now.keys()].filter((path) => hasSecretName(`/${path}`));
    const wanted = new Map([...trees.now].filter(([path]) => !leftOut.includes(path)));
    const copy = await openScratch(world, { paths: place.paths, trees, files: wanted, home: reviewsFolder(world) });
    giveHistory(files, trees.repository, copy.top);
    return { ...copy, leftOut };
  } catch (error) {
    if (!(error instanceof NoCopy)) throw error;
    const top = join(reviewsFolder(world), `${world.pid}-${crypto.randomUUID().slice(0, 8)}`);
    // With a repository there, no command can make one whose configuration Claude Code's own git would read.
    makeRepository(files, top, "sha1");
    return { top, folder: top, close: () => files.removeFolder(top), why: error.why };
  }
}

function describePlace(made: MadeCopy, project: string): string {
  const where =
    "why" in made
      ? `You are in an empty folder, made for this review: ${made.folder}\nThe project is in ${project}, which you can read and not change. There is no copy of it (${made.why}); copy what a run needs to write.`
      : `You are in a copy of the project, made for this review and removed after it: ${made.folder}\nIt has the project's files as they are now, and its git history. The project itself is in ${project}, which you can read and not change. Name files by their paths in the project.`;
  const { leftOut = [], naming = [] } = "why" in made ? {} : made;
  return [
    where,
    "Your commands run in a sandbox: any command, no network, no Unix sockets, no background process that outlives its command, nothing written outside of this folder and $TMPDIR.",
    ...(leftOut.length === 0
      ? []
      : [
          `Not in the copy, because their names say that they may contain secrets: ${someOf(leftOut)}. git shows those as deleted, and a run that fails for lack of them says nothing about the work.`,
        ]),
    ...(naming.length === 0
      ? []
      : [
          `These files name the project by its absolute path, so what they run may not be the copy: ${someOf(naming)}.`,
        ]),
  ].join("\n");
}

function someOf(paths: readonly string[]): string {
  const rest = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).map(shownName).join(", ")}${rest}`;
}

const MOST_NAMED = 5;

interface Surroundings {
  readonly paths: Pick<Paths, "folder">;
  /** The copy. */
  readonly top: string;
  readonly repository: Repository | undefined;
  /** Folders and files that the reviewer may read. */
  readonly read: readonly string[];
  readonly files: readonly string[];
}

/**
 * Hides the home, temporary folders, those of other users, and those that belong to no part of the system. The project and
 * installed programs stay visible, but not the secrets in them. If the home itself is the project, only its secrets are hidden.
 */
function sandboxRules(world: World, around: Surroundings, unset: readonly string[]): SandboxRules {
  const { files, env, platform } = world;
  const real = (path: string) => (files.exists(path) ? files.realPath(path) : path);
  const { read, repository, top } = around;
  const home = real(homedir(env, platform));
  const configured = [around.paths.folder, env.CCC_CONFIG_DIR, env.CLAUDE_CONFIG_DIR];
  const privatePaths = [...configured, join(home, ".claude"), join(home, ".claude.json")].flatMap((path) =>
    path === undefined || path === "" ? [] : [real(path)],
  );
  const git = repository === undefined ? [] : [repository.gitDir, repository.common].map(real);
  const folders = read.map(real);
  const closed = [home, ...temporary(world), ...(platform === "darwin" ? ["/Users"] : ["/home", "/root"])]
    .concat(foreign(world))
    .map(real)
    .filter((path) => isAbsolute(path) && path !== "/" && !folders.some((folder) => isWithin(path, folder)));
  const isClosed = (path: string) => isWithin(path, ...closed);
  const secret = HOME_SECRETS.map((name) => join(home, name));
  const programs = installed(world, home, closed)
    .map(real)
    .filter((path) => isClosed(path) && !isWithin(path, ...secret));
  const visible = [...folders, ...git].filter((path) => !isWithin(path, ...privatePaths));
  const searched = visible.map((folder) => ({ folder, secrets: secretsBelow(files, folder) }));
  const shown = [
    // In a folder with too many files secrets may have been missed.
    ...searched.flatMap(({ folder, secrets }) => (secrets === undefined ? [] : [folder])),
    ...programs.filter((path) => !isWithin(path, ...privatePaths)),
    ...around.files.map(real),
    top,
  ];
  const hidden = [
    ...closed,
    ...privatePaths,
    dirname(top),
    // Claude Code itself shows this folder, in which it keeps files of other sessions.
    ...listed(files, "/tmp/claude").map((name) => join("/tmp/claude", name)),
    ...SYSTEM_SECRETS,
    ...secret.flatMap((path) => (files.exists(path) ? [path, real(path)] : [])),
    ...searched.flatMap(({ folder, secrets }) => secrets ?? [folder]),
    ...git.map((folder) => join(folder, "config")),
  ];
  const existing = (paths: readonly string[]) => [...new Set(paths)].filter(files.exists);
  return { mayWrite: [top], hidden: existing(hidden), shown: existing(shown), unset };
}

/** Temporary folders. On macOS the system itself needs them. */
function temporary({ env, platform }: World): string[] {
  return platform === "darwin" ? [] : ["/tmp", "/var/tmp", ...(env.TMPDIR ? [env.TMPDIR] : [])];
}

/** Folders of Linux that belong to no part of the system: other projects, other disks, mail, logs. */
function foreign({ files, platform }: World): string[] {
  if (platform !== "linux") return [];
  const below = (folder: string, system: RegExp) =>
    listed(files, folder)
      .filter((name) => !system.test(name))
      .map((name) => join(folder, name))
      .filter((path) => files.entry(path)?.kind === "folder");
  return [...below("/", SYSTEM), ...below("/var", SYSTEM_VARIABLE)];
}

const SYSTEM = /^(?:s?bin|boot|dev|etc|gnu|lib.*|nix|opt|proc|run|snap|sys|usr|var)$/;
const SYSTEM_VARIABLE = /^(?:cache|db|lib|lock|run)$/;

/** Folders with programs, their libraries and their caches, which runs of a project need. */
function installed({ env, platform }: World, home: string, closed: readonly string[]): string[] {
  const roots = programFolders(env, platform).map((folder) => {
    if (SHARED.test(folder)) return IN_SHARED.exec(`${folder}/`)?.[1] ?? folder;
    const above = dirname(folder);
    const isBeside =
      BIN.test(basename(folder)) && isWithin(above, ...closed) && !closed.some((each) => isWithin(each, above));
    return HIDDEN_FOLDER.exec(`${folder}/`)?.[1] ?? (isBeside ? above : folder);
  });
  return [...roots, ...TOOLCHAINS.map((name) => join(home, name))];
}

const BIN = /^(?:s?bin|shims)$/;
/** A tool's own folder in the home, and folders that all programs use. */
const HIDDEN_FOLDER = /^(.*?\/\.[^/]+)\//;
const SHARED = /\/(?:\.cache|\.config|\.local|Library)\//;
const IN_SHARED = /^(.*?\/(?:\.cache|\.config|\.local\/(?!bin\/)[^/]+|Library\/[^/]+)\/[^/]+)\//;
const TOOLCHAINS = [
  ".asdf .bun .bundle .cabal .cargo .conda .deno .dotnet .elan .gem .ghcup .gradle .hex .ivy2 .julia .m2 .mix .nimble",
  ".npm .nuget .nvm .opam .pnpm-store .poetry .pub-cache .pyenv .rbenv .rustup .sdkman .stack .swiftly .swiftpm .volta",
  ".yarn go/bin go/pkg .local/bin .local/lib .local/pipx Library/Caches Library/Python",
  ...within(
    ".local/share",
    "cargo coursier fnm gem hatch mise nvm pdm pipx pnpm pypoetry rtx rustup rye uv virtualenvs zig",
  ),
  ...within(".cache", "Cypress bazel bazelisk ccache composer coursier deno electron go-build golangci-lint hex"),
  ...within(
    ".cache",
    "huggingface/hub matplotlib mise ms-playwright nltk node node-gyp org.swift.swiftpm pdm pip pipenv",
  ),
  ...within(".cache", "pnpm pre-commit prisma puppeteer pypoetry rebar3 sccache torch turbo typescript uv yarn zig"),
].flatMap((names) => names.split(" "));

function within(folder: string, names: string): string[] {
  return names.split(" ").map((name) => `${folder}/${name}`);
}

/** The files and folders in a folder whose names suggest secrets; undefined if there are too many to look at. */
function secretsBelow(files: Files, folder: string): string[] | undefined {
  const secrets: string[] = [];
  let seen = 0;
  for (let folders = [folder]; folders.length > 0; ) {
    const deeper: string[] = [];
    for (const each of folders) {
      for (const name of listed(files, each)) {
        if (++seen > MOST_SEARCHED) return undefined;
        const path = join(each, name);
        const kind = files.entry(path)?.kind;
        if (hasSecretName(path.slice(folder.length))) {
          secrets.push(path);
          if (kind === "link" && files.exists(path)) secrets.push(files.realPath(path));
        } else if (name === ".git" && kind === "folder") secrets.push(join(path, "config"));
        else if (kind === "folder" && name !== "node_modules") deeper.push(path);
      }
    }
    folders = deeper;
  }
  return secrets;
}

const MOST_SEARCHED = 50_000;

/** A folder that the user may not list counts as empty: commands cannot read it either. */
function listed(files: Files, folder: string): string[] {
  return optional(() => files.list(folder)) ?? [];
}
