import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { cloudOf } from "../../claude/connection.ts";
import { EDITOR_SETTINGS } from "../../claude/hook-settings.ts";
import { readLayers } from "../../claude/layers.ts";
import { namedIn, referencedVariable } from "../../config/env.ts";
import { chooseProvider, type LoadedConfig, loadConfig } from "../../config/load.ts";
import { cccPaths, type Paths } from "../../config/paths.ts";
import { folderPin } from "../../config/pins.ts";
import { CccError, EXIT, messageOf, usageError } from "../../errors.ts";
import { lastingPath } from "../../launch/find.ts";
import { NAME_FLAG } from "../../markers.ts";
import { join } from "../../os/path.ts";
import type { ProviderLaunch } from "../../providers/identity.ts";
import { copyEntry, forgetEntry } from "../../providers/keys.ts";
import type { Preset } from "../../providers/preset-data.ts";
import { presetEnv, searchPresets } from "../../providers/preset-list.ts";
import { type Summary, shownRoles, summarize } from "../../providers/show.ts";
import { alreadyThere, providerStore } from "../../providers/store.ts";
import { KEYS, TOKENS } from "../../providers/variables.ts";
import { createLog, isAgreed } from "../../terminal/dialog.ts";
import { prettyJson } from "../../text/json.ts";
import { shellWord } from "../../text/shell.ts";
import { columns, outputWidth } from "../../text/table.ts";
import { type Env, optional, type World } from "../../world.ts";
import { currentLaunch, JSON_FLAG, PROVIDER_OR_CURRENT, requireProvider } from "../arguments.ts";
import { usePlaces, useStatus } from "../use/switch.ts";
import { addCommand } from "./add.ts";
import { checkNewName } from "./answers.ts";
import { editCommand, setKeyCommand, updateCommand } from "./edit.ts";

export function providerCommand(world: World) {
  return defineCommand({
    meta: { name: "provider", description: "Manage the providers in ccc.json. Without a command, list them." },
    args: { json: JSON_FLAG },
    run: ({ args }) => listProviders(args.json, world),
    subCommands: {
      add: addCommand(world),
      list: listCommand(world, "list"),
      show: showCommand(world),
      edit: editCommand(world, (from, to) => renameProvider(from, to, world)),
      update: updateCommand(world),
      remove: removeCommand(world),
      presets: presetsCommand(world),
      editor: editorCommand(world),
      ls: listCommand(world, "ls"),
      "set-key": setKeyCommand(world),
      rename: renameCommand(world),
    },
  });
}

const PRESETS_DESCRIPTION = `List the presets for ccc provider add, all or those that a search finds.

Examples
  ccc provider presets kimi
  ccc provider presets 智谱

JSON
  ${docsPage("providers.md#adding-one")}`;

function presetsCommand(world: World) {
  return defineCommand({
    meta: { name: "presets", description: PRESETS_DESCRIPTION },
    args: {
      search: {
        type: "positional",
        required: false,
        description: "a part of a name, an address or a company, in English or Chinese",
      },
      json: {
        type: "boolean",
        default: false,
        description: "print JSON for programs, with models, sources and dates",
      },
    },
    run: ({ args }) => {
      const found = searchPresets(args.search ?? "");
      world.stdout(args.json ? prettyJson(found.map(forPrograms)) : columns(presetTable(found), outputWidth(world)));
      if (found.length > 0) return EXIT.ok;
      createLog(world).warn("no preset found; for any other server: ccc provider add NAME --base-url URL");
      return EXIT.failure;
    },
  });
}

function presetTable(presets: readonly Preset[]): string[][] {
  return presets.length === 0 ? [] : [["NAME", "PROVIDER", "SERVER", "MODELS"], ...presets.map(presetRow)];
}

function presetRow({
  name,
  label,
  baseUrl,
  asksBaseUrl,
  baseUrlForm,
  extraEnv = {},
  models = {},
  asks = [],
}: Preset): string[] {
  const server = baseUrl ?? baseUrlForm ?? (asksBaseUrl ? "(your own address)" : `(${serverHost(extraEnv)})`);
  const { main, opus, sonnet, haiku } = models;
  const used = [main, opus, sonnet, haiku].filter((model) => model !== undefined);
  const none = asksBaseUrl || asks.includes("ANTHROPIC_MODEL") ? "(your own)" : "(Claude Code's default)";
  return [name, label, server, used.length === 0 ? none : [...new Set(used)].join(", ")];
}

/** A stable shape for programs, with null where there is no value. */
function forPrograms(preset: Preset) {
  const { models } = preset;
  return {
    name: preset.name,
    label: preset.label,
    aliases: preset.aliases ?? [],
    base_url: preset.baseUrl ?? null,
    asks_base_url: preset.asksBaseUrl ?? false,
    base_url_form: preset.baseUrlForm ?? null,
    token: preset.token ?? null,
    token_default: preset.tokenDefault ?? null,
    asks: preset.asks ?? [],
    models: {
      main: models?.main ?? null,
      opus: models?.opus ?? null,
      sonnet: models?.sonnet ?? null,
      haiku: models?.haiku ?? null,
      fable: models?.fable ?? models?.opus ?? null,
      subagent: models?.subagent ?? null,
    },
    context_window: preset.contextWindow ?? null,
    compact_window: preset.compactWindow ?? null,
    env: presetEnv(preset),
    key_url: preset.keyUrl ?? null,
    source: preset.source,
    as_of: preset.asOf,
    note: preset.note ?? null,
  };
}

const LIST_DESCRIPTION = `List the providers in ccc.json. * marks the one that plain ccc uses here; keys are masked.

JSON
  [{ name, current, pinned, reviewer, base_url, model, key, env, reasons, defaults, problem }],
  explained in
  ${docsPage("providers.md#adding-one")}`;

function listCommand(world: World, name: "list" | "ls") {
  return defineCommand({
    meta: { name, description: LIST_DESCRIPTION, hidden: name === "ls" },
    args: { json: JSON_FLAG },
    run: ({ args }) => listProviders(args.json, world),
  });
}

function listProviders(json: boolean, world: World): void {
  const loaded = loadConfig(world);
  const current = chooseProvider(loaded, folderPin(loaded, world));
  const { settings } = readLayers(world.files, world, []);
  const elsewhere = { settings, env: world.env };
  const found = [...loaded.providers.keys()].map((name) =>
    summarize(currentLaunch(world, loaded, name), loaded, current, elsewhere),
  );
  const rows = found.map((each) => summaryRow(each, unsetFor(loaded, each.name, world.env)));
  world.stdout(json ? prettyJson(found) : columns([HEADER, ...rows], outputWidth(world)));
  const log = createLog(world);
  for (const { problem } of found) if (problem !== null) log.warn(problem);
}

const HEADER = ["  NAME", "SERVER", "MODEL", "KEY"];

function unsetFor({ config, providers }: LoadedConfig, provider: string, env: Env): string[] {
  const block = { ...config.settings?.env, ...providers.get(provider)?.env };
  return namedIn(Object.values(block)).filter((name) => env[name] === undefined);
}

function summaryRow(summary: Summary, unset: readonly string[]): string[] {
  const { name, current, base_url, model, env } = summary;
  return [
    `${current ? "*" : " "} ${name}${shownRoles(summary)}`,
    base_url ?? `(${serverHost(env)})`,
    model ?? "(default model)",
    keyOf(summary, unset),
  ];
}

/** Problems in a few words; the full message follows below the table. */
function keyOf({ key, env, problem }: Summary, unset: readonly string[]): string {
  if (problem === null)
    return key ?? (cloudOf(env) === undefined ? "(no key: Claude login)" : "(no key: the cloud's own)");
  if (unset.length > 0) return `(${unset.join(", ")} ${unset.length > 1 ? "are" : "is"} not set)`;
  return key === null ? "(no key)" : "(cannot be launched)";
}

const REMOVE_DESCRIPTION = `Remove a provider from ccc.json, with its key and its generated settings. In ccc's backup
copies its key is masked. Asks first; without a terminal, pass --yes.

Exit codes
  0      removed
  1      plain claude uses it (ccc use), or failure
  2      usage error, or unknown provider
  130    declined`;

function removeCommand(world: World) {
  return defineCommand({
    meta: { name: "remove", description: REMOVE_DESCRIPTION },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: async ({ args }) => {
      const paths = cccPaths(world);
      const places = usePlaces(world);
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded, world);
      if (useStatus(places)?.provider === name) {
        throw new CccError(`plain claude uses "${name}" (\`ccc use\`)`, { advice: "Undo that first: ccc use --reset" });
      }
      const question = `Remove "${name}" and its key from ${paths.config}?`;
      if (!(await isAgreed(question, { yes: args.yes, to: "remove it" }, world)))
        throw new CccError("nothing was changed", { exitCode: EXIT.interrupted });
      const log = createLog(world);
      const { env } = providerStore(world, places.backups).remove(name);
      world.files.remove(editorProgramPath(paths, name, world.platform));
      log.info(`removed "${name}" from ${paths.config}`);
      if (loaded.config.default_provider === name) tellNextDefault(world);
      for (const token of TOKENS) {
        const forgotten = await forgetEntry(env?.[token], name, world);
        if (forgotten !== undefined) log[forgotten.isRemoved ? "info" : "warn"](forgotten.message);
      }
    },
  });
}

function tellNextDefault(world: World): void {
  // There may be no provider left.
  const next = optional(() => chooseProvider(loadConfig(world), undefined).provider);
  if (next === undefined) return;
  createLog(world).info(`it was the default: plain ccc now uses ${next}; to choose another: ccc default NAME`);
}

const RENAME_DESCRIPTION = `The same as ccc provider edit NAME --rename NEW.

Example
  ccc provider rename glm glm-work

Exit codes
  0    renamed
  1    plain claude uses it (ccc use), the new name is taken, or failure
  2    usage error, unknown provider, or a name that no provider can have

More
  ${docsPage("providers.md#changing-one")}`;

function renameCommand(world: World) {
  return defineCommand({
    meta: { name: "rename", description: RENAME_DESCRIPTION, hidden: true },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      "new-name": { type: "positional", required: true, description: "its new name" },
    },
    run: ({ args }) => renameProvider(args.name, args["new-name"], world),
  });
}

async function renameProvider(name: string, to: string, world: World): Promise<void> {
  const loaded = loadConfig(world);
  const from = requireProvider(name, loaded, world);
  checkNewName(to);
  if (from === to) throw usageError(`"${from}" already has that name`);
  if (loaded.providers.has(to)) throw alreadyThere(to, "Choose another name, or remove that one first.");
  const places = usePlaces(world);
  if (useStatus(places)?.provider === from) {
    throw new CccError(`plain claude uses "${from}" (\`ccc use\`)`, {
      advice: `Undo that first: ccc use --reset. After renaming: ccc use ${to}`,
    });
  }
  const copy = await copied(loaded, from, to, world);
  const paths = cccPaths(world);
  const references = new Map(copy === undefined ? [] : [[copy.old, copy.next]]);
  const named = providerStore(world, places.backups).rename({ from, to, references });
  const log = createLog(world);
  log.info(
    `renamed "${from}" to "${to}" in ${paths.config}${named.length === 0 ? "" : `, also in ${named.join(", ")}`}`,
  );
  if (copy !== undefined) {
    const forgotten = copy.isShared ? undefined : await forgetEntry(copy.old, from, world);
    log.info(`its key is now in the keychain entry "${copy.next.slice("keychain:".length)}" of ccc`);
    if (forgotten?.isRemoved === false) log.warn(forgotten.message);
  }
  tellEditor(from, to, world);
  log.info(
    `to start it: ccc ${to}; running sessions cannot get its key any more, so continue them: ccc ${to} --continue`,
  );
}

async function copied({ providers }: LoadedConfig, from: string, to: string, world: World) {
  try {
    return await copyEntry(providers, from, to, world);
  } catch (error) {
    throw new CccError(`the key of "${from}" cannot be moved in the keychain: ${messageOf(error)}`, {
      advice: "Nothing was changed.",
    });
  }
}

/** ccc does not change the settings of an editor. */
function tellEditor(from: string, to: string, world: World): void {
  const program = editorProgramPath(cccPaths(world), from, world.platform);
  if (world.files.entry(program) === undefined) return;
  world.files.remove(program);
  createLog(world).warn(
    `your editor starts ${program}, which is gone; for its new settings: ccc provider editor ${to}`,
  );
}

const SHOW_DESCRIPTION = `Show one provider of ccc.json, with keys masked, and what a launch sets in addition, with the reason.

JSON
  { name, current, pinned, reviewer, base_url, model, key, env, reasons, defaults, problem },
  explained in
  ${docsPage("providers.md#adding-one")}`;

function showCommand(world: World) {
  return defineCommand({
    meta: { name: "show", description: SHOW_DESCRIPTION },
    args: {
      name: PROVIDER_OR_CURRENT,
      json: JSON_FLAG,
    },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const current = chooseProvider(loaded, folderPin(loaded, world));
      const name = args.name === undefined ? current.provider : requireProvider(args.name, loaded, world);
      const { settings } = readLayers(world.files, world, []);
      const elsewhere = { settings, env: world.env };
      const found = summarize(currentLaunch(world, loaded, name), loaded, current, elsewhere);
      world.stdout(args.json ? prettyJson(found) : shownProvider(found, loaded.path, outputWidth(world)));
    },
  });
}

function shownProvider(summary: Summary, path: string, width: number): string {
  const { name, base_url, key, env, reasons, defaults, problem } = summary;
  const variable = KEYS.find((each) => env[each]);
  const rest = Object.entries(env).filter(([each]) => each !== "ANTHROPIC_BASE_URL" && each !== variable);
  const login = cloudOf(env) === undefined ? "(none: your Claude login)" : "(none: the cloud's own)";
  const none = problem === null ? login : "(none)";
  const rows = [
    ["file", path],
    ["server", base_url ?? `(${serverHost(env)})`],
    ["key", key === null ? none : `${key}${variable === undefined ? "" : ` (${variable})`}`],
    ...rest.map(([each, value]) => [each, reasons[each] === undefined ? value : `${value} (${reasons[each]})`]),
    ...defaults.map((each) => [each.name, `${each.value} (${whoDecides(each)})`]),
    ...(problem === null ? [] : [["problem", problem]]),
  ];
  const table = rows.map(([what = "", value = ""]) => [`  ${what}`, value]);
  return `${name}${shownRoles(summary)}\n${columns(table, width)}`;
}

function whoDecides({ reason, decided_by }: Summary["defaults"][number]): string {
  if (decided_by === null) return `set by ccc: ${reason}`;
  return `your own value, from ${decided_by === "shell" ? "your shell" : decided_by}`;
}

const EDITOR_DESCRIPTION = `Set up a provider for Claude Code in VS Code and JetBrains: makes a program ccc-NAME that starts
this provider, and prints the settings that make the editor use it. They contain no key.

JSON
  { name, program, vscode, jetbrains }, explained in
  ${docsPage("clients.md#editors")}`;

function editorCommand(world: World) {
  return defineCommand({
    meta: { name: "editor", description: EDITOR_DESCRIPTION },
    args: { name: PROVIDER_OR_CURRENT, json: JSON_FLAG },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded, world);
      const launch = currentLaunch(world, loaded, name);
      const program = editorProgramPath(cccPaths(world), name, world.platform);
      world.files.wrapProgram(program, lastingPath(world), [`${NAME_FLAG}${name}`]);
      const setup = { name, program, ...editorSettings(program, launch, world) };
      world.stdout(args.json ? prettyJson(setup) : editorText(setup));
      const log = createLog(world);
      if (launch.problem !== undefined) log.warn(launch.problem.message);
      const block = Object.values({ ...loaded.config.settings?.env, ...loaded.providers.get(name)?.env });
      for (const variable of neededVariables(launch, block))
        log.info(`${variable} must be set in the editor too: start the editor from a shell that sets it`);
    },
  });
}

interface EditorSettings {
  /** For the settings.json of VS Code. */
  readonly vscode: Readonly<Record<string, unknown>>;
  /** For the field "Claude command". */
  readonly jetbrains: string;
}

/** What makes an editor start Claude Code through a program. An editor does not have the variables of this shell. */
function editorSettings(
  program: string,
  { usesLogin }: Pick<ProviderLaunch, "usesLogin">,
  { env, platform }: Pick<World, "env" | "platform">,
): EditorSettings {
  const folders = ["CCC_CONFIG_DIR", "CLAUDE_CONFIG_DIR"].flatMap((name) =>
    env[name] ? [{ name, value: env[name] }] : [],
  );
  return {
    vscode: {
      [EDITOR_SETTINGS.wrapper]: program,
      ...(usesLogin ? {} : { [EDITOR_SETTINGS.noLogin]: true }),
      ...(folders.length === 0 ? {} : { [EDITOR_SETTINGS.variables]: folders }),
    },
    // The field is a command line for a terminal.
    jetbrains: platform === "win32" ? program : shellWord(program),
  };
}

function neededVariables({ reference }: ProviderLaunch, values: readonly unknown[]): string[] {
  const referenced = referencedVariable(reference?.reference ?? "");
  return [...new Set([...namedIn(values), ...(referenced === undefined ? [] : [referenced])])];
}

function editorText({ vscode, jetbrains }: EditorSettings): string {
  return `VS Code and editors based on it: settings.json
${prettyJson(vscode)}
JetBrains: Settings > Tools > Claude Code > Claude command
${jetbrains}
`;
}

/** Whose servers Claude Code uses if no base URL is set. */
function serverHost(env: Readonly<Record<string, string>>): string {
  return cloudOf(env)?.host ?? "Anthropic";
}

/** The program that an editor runs to start a provider. */
function editorProgramPath(
  { generated }: Pick<Paths, "generated">,
  provider: string,
  platform: NodeJS.Platform,
): string {
  return join(generated, `bin/ccc-${provider}${platform === "win32" ? ".exe" : ""}`);
}
