import { basename, dirname, join } from "node:path";
import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { leavesAnthropic } from "../../claude/connection.ts";
import { checkConfig, misspeltVariable, nameProblem } from "../../config/check.ts";
import { keepBackup } from "../../config/edit.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { PERSISTENT_FLAG } from "../../markers.ts";
import { hasCredential } from "../../providers/identity.ts";
import { shownChanges } from "../../providers/show.ts";
import { alreadyThere, providerStore } from "../../providers/store.ts";
import { kindOf } from "../../providers/variables.ts";
import { canAsk, createLog } from "../../terminal/dialog.ts";
import { asObject, valueAt } from "../../text/json.ts";
import { appendIn, type Path, parseText, removeIn } from "../../text/json-text.ts";
import { withoutUrlSecrets } from "../../text/redact.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import { programFolders, type World } from "../../world.ts";
import { nameFor } from "../provider/answers.ts";
import { UnreadableSettings, usePlaces, useStatus } from "../use/switch.ts";
import { runImport } from "./import.ts";
import { TOOLS } from "./tools.ts";

const DESCRIPTION = `Turn the provider in your settings.json into one of ccc's, and remove what the Go ccc left behind. It shows
the plan and asks first; without a terminal it changes nothing unless you pass --yes. It keeps a copy of every file that it
changes.

With --from it imports the providers of another tool that Claude Code can talk to, with their keys. That
tool's files are not changed, and a second import adds no duplicates.

Examples
  ccc migrate
  ccc migrate --from cc-switch
  ccc migrate --from claude-code-router --yes

Exit codes
  0      done, or nothing to do
  1      failure
  2      usage error
  130    declined

More
  ${docsPage("migrate.md")}`;

export function migrateCommand(world: World) {
  return defineCommand({
    meta: {
      name: "migrate",
      description: DESCRIPTION,
    },
    args: {
      name: {
        type: "string",
        valueHint: "NAME",
        description: "name of the provider (default: derived from its server)",
      },
      from: { type: "enum", options: [...TOOLS], description: "import the providers of this tool" },
      file: {
        type: "string",
        valueHint: "PATH",
        description: "with --from: the tool's file, if it is not in its usual place",
      },
      store: {
        type: "enum",
        options: ["keychain", "file"],
        description:
          "with --from: where to store keys (default: the keychain, if the system has one, or else ccc.json)",
      },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: ({ args: { from, file, store, name, yes } }) => {
      if (from !== undefined) {
        if (name !== undefined) throw usageError("--name cannot be combined with --from");
        return runImport({ tool: from, file, store, yes }, world);
      }
      if (file !== undefined || store !== undefined) {
        throw usageError(`--${file === undefined ? "store" : "file"} needs --from TOOL`);
      }
      return migrate(world, name, yes);
    },
  });
}

async function migrate(world: World, name: string | undefined, yes: boolean): Promise<number> {
  const found = findLeftovers(world);
  if (name !== undefined) checkName(name, found);
  const asks = !yes && canAsk(world);
  const first = planMigration(found, name);
  const { settings, backups } = usePlaces(world);
  const { config } = cccPaths(world);
  const width = outputWidth(world);
  for (const line of describeMigration(first, settings, config)) world.stdout(`${wrap(line, width)}\n`);
  if (first.isEmpty) {
    world.stdout("Nothing to migrate.\n");
    return EXIT.ok;
  }
  if (!yes && !asks) {
    world.stdout("Nothing was changed. To apply this: ccc migrate --yes\n");
    return EXIT.ok;
  }
  const plan = await named(first, found, name === undefined && asks, world);
  if (asks && !(await world.ask.confirm("Apply this?", false))) {
    world.stdout("Nothing was changed.\n");
    return EXIT.interrupted;
  }
  carryOut(plan, world);
  createLog(world).info(`copies of the original files: ${backups}`);
  const start = plan.provider === undefined ? "" : ` To start it: ccc ${plan.provider.name}`;
  world.stdout(`Done.${start}\n`);
  return EXIT.ok;
}

/** The plan with the name that the user chooses. */
async function named(plan: Migration, found: Leftovers, asks: boolean, world: World): Promise<Migration> {
  if (!asks || plan.provider === undefined || plan.provider.isThere) return plan;
  const isTaken = (answer: string) => (Object.hasOwn(found.providers, answer) ? "that name is taken" : undefined);
  const name = await world.ask.text("Name of the provider (you will type: ccc NAME):", {
    preset: plan.provider.name,
    check: (answer) => nameProblem(answer) ?? isTaken(answer),
  });
  return planMigration(found, name);
}

function checkName(name: string, { providers }: Leftovers): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
  if (Object.hasOwn(providers, name)) throw alreadyThere(name, "Choose another name: ccc migrate --name NAME");
}

/** A plan as text, with keys masked. */
function describeMigration(plan: Migration, settings: string, config: string): string[] {
  const { provider, hooks, commands, patch } = plan;
  const lines: string[] = [];
  if (provider !== undefined) {
    const { env, apiKeyHelper } = provider.settings;
    lines.push(
      provider.isThere
        ? `- ${settings} sets the same as the provider "${provider.name}" in ${config}. Remove from settings.json:`
        : `- ${settings} sets a provider. Save it as "${provider.name}" in ${config}, and remove from settings.json:`,
      ...shownChanges({}, { env }).map(([, name, value]) => `    ${name} = ${value}`),
      ...(apiKeyHelper === undefined ? [] : ["    apiKeyHelper"]),
      `  Plain claude will no longer use it. To start it: ccc ${provider.name}. To make plain claude use it: ccc use ${provider.name}`,
    );
  }
  if (plan.keyless !== undefined) {
    lines.push(
      `- ${settings} names the server ${withoutUrlSecrets(plan.keyless)} without a key. This stays as it is: ccc needs a key for every server.`,
      "  To add it with a key: ccc provider add",
    );
  }
  for (const { event, command } of hooks)
    lines.push(`- Remove a hook of an earlier ccc from ${settings} (${event}): ${command}`);
  for (const path of commands) lines.push(`- Remove a slash command of an earlier ccc: ${path}`);
  if (patch !== undefined) {
    lines.push(
      patch.obstacle === undefined
        ? `- ${patch.claude} is a script of an earlier ccc. Restore the real claude from ${patch.real}`
        : `- ${patch.claude} runs ccc, and the real claude should be ${patch.real}, but ${patch.obstacle}. ` +
            `To restore it yourself: sudo mv ${patch.real} ${patch.claude}`,
    );
  }
  return lines;
}

/** What an earlier ccc left on this machine, and the provider that the user configured by hand. */
interface Leftovers {
  /** Claude Code's settings.json, parsed. */
  readonly settings: unknown;
  /** Whether `ccc use` wrote the provider in it. */
  readonly isInUse: boolean;
  /** The providers in ccc.json. */
  readonly providers: Readonly<Record<string, unknown>>;
  /** Paths of slash commands that call a command that ccc no longer has. */
  readonly commands: readonly string[];
  readonly patch: Patch | undefined;
}

/** A claude that was replaced by a script that runs ccc. */
interface Patch {
  readonly claude: string;
  readonly real: string;
  /** Why ccc cannot undo it; undefined if it can. */
  readonly obstacle: string | undefined;
}

function findLeftovers(world: World): Leftovers {
  const { files } = world;
  const places = usePlaces(world);
  const { config } = cccPaths(world);
  const text = files.read(places.settings) ?? "";
  const settings = text.trim() === "" ? {} : parseText(text);
  if (settings === undefined) throw new UnreadableSettings(places.settings);
  const known = files.read(config);
  return {
    settings,
    isInUse: useStatus(places) !== undefined,
    providers: asObject(known === undefined ? {} : checkConfig(known, config).providers),
    commands: slashCommands(world, join(dirname(places.settings), "commands")),
    patch: findPatch(world),
  };
}

/** The Go ccc installed `/supervisor` and `/supervisoroff`, which call `ccc supervisor-mode`. */
function slashCommands({ files }: World, folder: string): string[] {
  const names = files.list(folder).filter((name) => /^supervisor.*\.md$/.test(name));
  const paths = names.map((name) => join(folder, name));
  return paths.filter(
    (path) => isSmall(files.identify(path)) && /\bccc(\.exe)?["']? supervisor-mode\b/.test(files.read(path) ?? ""),
  );
}

/** `ccc patch` of the Go ccc replaced the first claude on PATH with a script that runs ccc, and renamed the original. */
function findPatch({ files, env, platform, self }: World): Patch | undefined {
  const folders = platform === "win32" ? [] : programFolders(env, platform);
  const claude = folders.map((folder) => join(folder, "claude")).find((path) => files.identify(path) !== undefined);
  if (claude === undefined) return undefined;
  const text = isSmall(files.identify(claude)) ? (files.read(claude) ?? "") : "";
  const named = /^export CCC_CLAUDE=(['"]?)(.+)\1$/m.exec(text)?.[2];
  if (text.startsWith("#!") && named !== undefined && /^exec (\S*\/)?ccc "\$@"$/m.test(text)) {
    return { claude, real: named, obstacle: obstacleTo(files, claude, named) };
  }
  const beside = join(dirname(claude), "ccc-claude");
  const isSelf = files.programSize(claude) === files.programSize(self) && files.programSize(beside) !== undefined;
  return isSelf ? { claude, real: beside, obstacle: "it was replaced by ccc itself, not by a script" } : undefined;
}

/** Only a program in the same folder that is not itself a script that runs ccc is certainly the real claude. */
function obstacleTo(files: World["files"], claude: string, real: string): string | undefined {
  if (dirname(real) !== dirname(claude)) return "it is in another folder";
  if (files.programSize(real) === undefined) return "it is missing or not a program";
  if (isSmall(files.identify(real)) && (files.read(real) ?? "").includes("CCC_CLAUDE="))
    return "it is also a script that runs ccc";
  return files.canWrite(dirname(claude)) ? undefined : "you have no write permission there";
}

/** The scripts of the Go ccc are small; anything larger is something else. */
function isSmall(identity: { readonly isFile: boolean; readonly size: number } | undefined): boolean {
  return identity?.isFile === true && identity.size < 4096;
}

interface Migration {
  readonly provider: NewEntry | undefined;
  /** A server in settings.json without a key, which ccc cannot use as a provider. */
  readonly keyless: string | undefined;
  /** What to remove from settings.json. */
  readonly remove: readonly Path[];
  readonly hooks: readonly FormerHook[];
  readonly commands: readonly string[];
  readonly patch: Patch | undefined;
  /** Whether there is nothing to do. */
  readonly isEmpty: boolean;
}

interface NewEntry {
  readonly name: string;
  readonly settings: { readonly env: Readonly<Record<string, string>>; readonly apiKeyHelper?: string };
  /** Whether ccc.json has it already. */
  readonly isThere: boolean;
}

/** A hook that an earlier ccc put into settings.json. */
interface FormerHook {
  readonly event: string;
  /** Its entry in settings.json, and that entry without the hook (undefined if nothing else is in it). */
  readonly entry: unknown;
  readonly without: unknown;
  readonly command: string;
}

function planMigration(found: Leftovers, name?: string): Migration {
  const settings = asObject(found.settings);
  const entry = found.isInUse ? undefined : providerIn(settings, found.providers, name);
  const isKeyless = entry !== undefined && lacksKey(entry.settings);
  const provider = isKeyless ? undefined : entry;
  const names = Object.keys(provider?.settings.env ?? {});
  const hooks = formerHooks(settings);
  const { commands, patch } = found;
  return {
    provider,
    keyless: isKeyless ? entry.settings.env.ANTHROPIC_BASE_URL : undefined,
    remove: [
      ...names.map((each) => ["env", each]),
      ...(provider?.settings.apiKeyHelper === undefined ? [] : [["apiKeyHelper"]]),
    ],
    hooks,
    commands,
    patch,
    isEmpty: provider === undefined && hooks.length === 0 && commands.length === 0 && patch === undefined,
  };
}

/** A launch would refuse such a provider: Claude Code would send the user's login to that server. */
function lacksKey({ env, apiKeyHelper = "" }: NewEntry["settings"]): boolean {
  return !hasCredential({ env, apiKeyHelper }) && leavesAnthropic(env.ANTHROPIC_BASE_URL);
}

/** A model alone is not a provider: there must be a key or a server. */
function providerIn(
  settings: Readonly<Record<string, unknown>>,
  providers: Leftovers["providers"],
  wanted: string | undefined,
): NewEntry | undefined {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(asObject(settings.env))) {
    const isProviders = kindOf(name) !== undefined && misspeltVariable(name) === undefined;
    if (isProviders && value !== "" && isPlain(value)) env[name] = String(value);
  }
  if (!Object.keys(env).some((name) => kindOf(name) !== "model")) return undefined;
  const helper = settings.apiKeyHelper;
  const entry = { env, ...(typeof helper === "string" && helper !== "" ? { apiKeyHelper: helper } : {}) };
  const same = Object.keys(providers).find((name) => Bun.deepEquals(providers[name], entry, true));
  if (same !== undefined) return { name: same, settings: entry, isThere: true };
  return { name: wanted ?? nameFor("", env, Object.keys(providers)), settings: entry, isThere: false };
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** These hooks would review sessions of plain claude, on the wrong provider. */
function formerHooks(settings: Readonly<Record<string, unknown>>): FormerHook[] {
  return Object.entries(asObject(settings.hooks)).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => {
      const hooks = asObject(entry).hooks;
      const all: readonly unknown[] = Array.isArray(hooks) ? hooks : [];
      const former = all.filter((hook) => isFormer(commandOf(hook)));
      const rest = all.filter((hook) => !former.includes(hook));
      const without = rest.length === 0 ? undefined : { ...asObject(entry), hooks: rest };
      return former.length === 0 ? [] : [{ event, entry, without, command: former.map(commandOf).join("; ") }];
    }),
  );
}

/** The hook of `ccc use` is a current one. */
function isFormer(command: string): boolean {
  if (command.includes(PERSISTENT_FLAG)) return false;
  return (
    /(^|[\s/\\"'])ccc(\.exe)?["']?\s+supervisor-hook\b/.test(command) || /(^|[\s/\\"'])ccc-supervisor/.test(command)
  );
}

function commandOf(hook: unknown): string {
  const { command } = asObject(hook);
  return typeof command === "string" ? command : "";
}

/** Carries out a plan. It can be interrupted at any point: everything is saved in its new file before it is removed. */
function carryOut(plan: Migration, world: World): void {
  const { files, now } = world;
  const { backups, settings } = usePlaces(world);
  const paths = cccPaths(world);
  const keep = (path: string, text: string | undefined) => {
    if (text !== undefined) keepBackup(files, backups, text, now(), basename(path));
  };
  const edits = plan.remove.length > 0 || plan.hooks.length > 0;
  // Fail before anything is changed.
  if (edits) edited(files.read(settings), settings, plan);
  if (plan.provider?.isThere === false) {
    keep(paths.config, files.read(paths.config));
    providerStore(world, backups).add(plan.provider.name, plan.provider.settings);
  }
  if (edits) {
    files.hold(settings, ({ found, path, write }) => {
      const text = edited(found?.text, path, plan);
      keep(path, found?.text);
      write(text, found?.mode ?? 0o600);
    });
  }
  for (const path of plan.commands) {
    keep(path, files.read(path));
    files.remove(path);
  }
  const { patch } = plan;
  if (patch !== undefined && patch.obstacle === undefined) files.move(patch.real, patch.claude);
}

function edited(text: string | undefined, path: string, plan: Migration): string {
  const after = withoutFormer(text ?? "{}", plan);
  const value = parseText(after);
  if (value !== undefined && plan.remove.every((each) => valueAt(value, each) === undefined)) return after;
  throw new CccError(`${path} could not be edited; nothing was changed in it`, {
    advice: "Perhaps it has a duplicate key: the last one counts, so remove the other.",
  });
}

/** The text of settings.json without what the plan removes, and without objects that become empty. */
function withoutFormer(text: string, { remove, hooks }: Pick<Migration, "remove" | "hooks">): string {
  let edited = text;
  for (const path of remove) edited = removeIn(edited, path);
  for (const { event, entry, without } of hooks) {
    edited = removeIn(edited, ["hooks", event], entry);
    if (without !== undefined) edited = appendIn(edited, ["hooks", event], without);
  }
  const emptied = [...hooks.map(({ event }) => ["hooks", event]), ...(hooks.length > 0 ? [["hooks"]] : []), ["env"]];
  for (const path of emptied) {
    const value = valueAt(parseText(edited), path);
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0) edited = removeIn(edited, path);
  }
  return edited;
}
