import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { CLAUDE_SUBCOMMANDS } from "../../claude/arguments.ts";
import { isUrl } from "../../claude/connection.ts";
import { readLayers } from "../../claude/layers.ts";
import { checkConfig, nameProblem } from "../../config/check.ts";
import { isCommandName } from "../../config/command-line.ts";
import { cccPaths } from "../../config/paths.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, messageOf, usageError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { alreadyThere, changeProvider, replaceSettings } from "../../providers/change.ts";
import { keyPlace, resolveKey, type Store } from "../../providers/keys.ts";
import {
  findPreset,
  keyProblem,
  lacksWindow,
  type NewProvider,
  nameFor,
  newSettings,
  PRESET_NAMES,
  type Preset,
  searchPresets,
  tokenVariable,
  withPresetNote,
} from "../../providers/presets.ts";
import { kindOf } from "../../providers/variables.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { SHORTEST_KEY } from "../../text/redact.ts";
import { nearest } from "../../text/words.ts";
import type { Env, World } from "../../world.ts";
import { usePlaces } from "../use/switch.ts";
import { forgetReplacedEntries, tellChanges, tellUse } from "./edit.ts";
import {
  askWhatIsMissing,
  checkReference,
  keyFromStdin,
  missingKey,
  STORE,
  TOKEN_REF,
  TOKEN_STDIN,
  tryAnswers,
} from "./questions.ts";

const DESCRIPTION = `Add a provider to ccc.json. On a terminal ccc asks for what is missing; otherwise everything must be given.
A key is never an argument: ccc asks for it, reads it from stdin, or uses a reference.

Examples
  ccc provider add glm --token-stdin < key.txt
  ccc provider add kimi --token-ref 'cmd:pass show kimi'
  ccc provider add mine --base-url https://llm.example.com --model some-model --token-ref env:MY_KEY

More
  ${docsPage("providers.md#adding-one")}`;

export function addCommand(world: World) {
  return defineCommand({
    meta: { name: "add", description: DESCRIPTION },
    args: {
      name: {
        type: "positional",
        required: false,
        description: "the name to type after ccc (default: the preset's name)",
      },
      preset: {
        type: "string",
        valueHint: "NAME",
        description: "a preset, see ccc provider presets (default: the one with the same name)",
      },
      "base-url": { type: "string", valueHint: "URL", description: "the server, if no preset has it" },
      model: {
        type: "string",
        valueHint: "MODEL",
        description: "use this model for every role, instead of the preset's",
      },
      "context-window": {
        type: "string",
        valueHint: "TOKENS",
        description: "the context window of that model; Claude Code assumes 1M",
      },
      "full-system-prompt": {
        type: "boolean",
        default: false,
        description: "send a model that Claude Code does not know the full system prompt, not the short one",
      },
      "x-api-key": {
        type: "boolean",
        default: false,
        description: "send the key as x-api-key, not as a bearer token (ANTHROPIC_API_KEY)",
      },
      "token-stdin": TOKEN_STDIN,
      "token-ref": TOKEN_REF,
      store: STORE,
      replace: {
        type: "boolean",
        default: false,
        description: "replace server, key and models of an existing provider; its other settings stay",
      },
    },
    run: async ({ args }) => {
      const { name, preset, model, store, replace, "token-ref": reference } = args;
      if (args["token-stdin"] && reference !== undefined)
        throw usageError("--token-stdin cannot be combined with --token-ref");
      const key = args["token-stdin"] ? keyFromStdin(world) : undefined;
      const given = {
        name,
        preset,
        baseUrl: args["base-url"],
        model,
        contextWindow: args["context-window"],
        fullPrompt: args["full-system-prompt"] || undefined,
        asApiKey: args["x-api-key"],
        reference,
        key,
      };
      const added = await addProvider(given, { store, replace }, world);
      createLog(world).info(`to check it: ccc validate ${added}; to start it: ccc ${added}`);
    },
  });
}

interface Options {
  readonly store: Store | undefined;
  readonly replace: boolean;
}

/** Adds a provider and returns its name. On a terminal, asks for what is missing. */
export async function addProvider(given: Given, { store, replace }: Options, world: World): Promise<string> {
  const paths = cccPaths(world);
  const text = world.files.read(paths.config);
  const existing = text === undefined ? [] : Object.keys(checkConfig(text, paths.config).providers ?? {});
  if (given.name !== undefined && existing.includes(given.name) && !replace) throw alreadyThere(given.name);
  const all = canAsk(world) ? await askWhatIsMissing(given, existing, world) : given;
  const settled = settle(all, world.env);
  const isAsked = canAsk(world) && given.key === undefined && given.reference === undefined;
  const { name, provider, key, written } = isAsked ? await tryAnswers(settled, world) : settled;
  const place = key === undefined ? undefined : await keyPlace(name, key, store, world);
  const value = place?.value ?? written;
  const { backups } = usePlaces(world);
  const next = withPresetNote(newSettings(provider, value), provider.preset);
  const change = (before: ProviderEntry | undefined) => {
    // Checked under the lock: another ccc may have added it meanwhile.
    if (before !== undefined && !replace) throw alreadyThere(name);
    return before === undefined ? next : replaceSettings(name, before, next);
  };
  const changed = changeProvider(world.files, { ...paths, backups }, name, change, world.now());
  await place?.put();
  await forgetReplacedEntries(changed, name, world);
  const where = place === undefined ? "" : `; its key is ${place.words}`;
  const log = createLog(world);
  log.info(
    `${changed.before === undefined ? "added" : "replaced"} "${name}" ${changed.before === undefined ? "to" : "in"} ${paths.config}${where}`,
  );
  tellChanges(changed, world);
  if (changed.before !== undefined) tellUse(name, world);
  const { preset, baseUrl = preset?.baseUrl, model, contextWindow } = provider;
  if (lacksWindow({ baseUrl, model }, contextWindow)) {
    log.warn(`Claude Code assumes a context window of 1M tokens for ${model}; if it is smaller: ${LATER}`);
  }
  if (given.reference !== undefined) await warnOfReference(given.reference, world);
  return name;
}

const LATER = "add it again with --replace --context-window TOKENS";

/** Offers to add a first provider. Returns whether one was added. */
export async function offerProvider(world: World): Promise<boolean> {
  const [first = ""] = world.argv;
  if (!canAsk(world) || isCommandName(first)) return false;
  // Fail before asking anything if claude is missing.
  findClaude(world);
  const { config } = cccPaths(world);
  const log = createLog(world);
  log.info(`${config} has no provider yet`);
  if (hasProviderInSettings(world)) {
    log.info("your settings.json already has a provider; to use it with ccc: ccc migrate");
  }
  // `ccc kimi` on a new machine already says which one.
  const wanted = findPreset(world.argv.find((word) => !word.startsWith("-")) ?? "");
  const question = wanted === undefined ? "Add one now?" : `Set up ${wanted.name} (${wanted.label}) now?`;
  if (!(await world.ask.confirm(question, true))) {
    throw new CccError("nothing was changed", { advice: "To add a provider later: ccc provider add" });
  }
  const given = wanted === undefined ? {} : { name: wanted.name };
  const name = await addProvider(given, { store: undefined, replace: false }, world);
  log.info(`starting ${name}; next time: ccc ${name}`);
  return true;
}

function hasProviderInSettings(world: World): boolean {
  const [user] = readLayers(world.files, world).settings;
  return Object.entries(user?.env ?? {}).some(([name, value]) => value && kindOf(name) && kindOf(name) !== "model");
}

/** What the user has said so far about a new provider. */
export interface Given {
  readonly name?: string | undefined;
  readonly preset?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model?: string | undefined;
  /** The context window of that model, in tokens. */
  readonly contextWindow?: string | undefined;
  /** Whether the key is sent as x-api-key. */
  readonly asApiKey?: boolean | undefined;
  /** Whether a model that Claude Code does not know gets its full system prompt. */
  readonly fullPrompt?: boolean | undefined;
  readonly key?: string | undefined;
  readonly reference?: string | undefined;
  /** Answers to the preset's own questions. */
  readonly asked?: Readonly<Record<string, string>>;
}

export interface Settled {
  readonly name: string;
  readonly provider: NewProvider;
  /** The key to store. */
  readonly key: string | undefined;
  /** The value in ccc.json if there is no key to store: a reference, or a placeholder for a server that needs no key. */
  readonly written: string | undefined;
}

/** Turns the answers into a provider, or throws what is missing or wrong. */
export function settle(given: Given, env: Env): Settled {
  const preset = presetOf(given);
  if (preset === undefined && given.baseUrl === undefined) {
    if (given.name !== undefined) throw unknownPreset(given.name);
    throw usageError("--preset or --base-url is missing", "To list the presets: ccc provider presets");
  }
  const baseUrl = baseUrlOf(given, preset);
  const provider = {
    preset,
    baseUrl,
    model: given.model,
    contextWindow: windowOf(given),
    asApiKey: given.asApiKey ?? false,
    fullPrompt: given.fullPrompt ?? false,
    asked: askedOf(given, preset, env),
  };
  const name = given.name ?? preset?.name ?? nameFor(baseUrl ?? "");
  checkNewName(name);
  return { name, provider, ...keyOf(given, provider) };
}

/** Refuses a name that no new provider can have. */
export function checkNewName(name: string): void {
  const problem = nameProblem(name) ?? (CLAUDE_SUBCOMMANDS.has(name) ? "that is a command of claude" : undefined);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
}

/** The named preset, or else the one with the provider's name: with an address, only one that needs an address. */
export function presetOf({ preset, baseUrl, name = "" }: Given): Preset | undefined {
  if (preset === undefined) {
    const found = findPreset(name);
    return baseUrl === undefined || found?.asksBaseUrl ? found : undefined;
  }
  const found = findPreset(preset);
  if (found !== undefined) return found;
  throw unknownPreset(preset);
}

function unknownPreset(name: string): CccError {
  const meant = nearest(name, PRESET_NAMES) ?? searchPresets(name)[0]?.name;
  return usageError(
    name.length >= SHORTEST_KEY
      ? "unknown preset"
      : `unknown preset "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    "To list the presets: ccc provider presets. For any other server: --base-url URL",
  );
}

export function baseUrlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !isUrl(text)) return "must begin with https:// (or http:// for a server on this machine)";
  if (url.username !== "" || url.password !== "")
    return "must not contain a user name or password, because it is shown and logged";
  if (url.search !== "" || url.hash !== "" || /\s/.test(text)) return "must not contain ?, # or spaces";
  if (url.protocol === "http:" && !isLocal(url))
    return "must begin with https://, because anyone on the network can read your key over http://";
  return undefined;
}

/** Where an address has a part of the user's own, that part is enough. */
export function wholeAddress(text: string, preset: Preset | undefined): string {
  const form = preset?.baseUrlForm;
  return form !== undefined && /^[\w-]+$/.test(text) ? form.replace(/\{\w+\}/, text) : text;
}

function baseUrlOf(given: Given, preset: Preset | undefined): string | undefined {
  const baseUrl = given.baseUrl === undefined ? undefined : wholeAddress(given.baseUrl, preset);
  if (baseUrl === undefined) {
    if (!preset?.asksBaseUrl) return undefined;
    const form = preset.baseUrlForm === undefined ? "" : `, for example ${preset.baseUrlForm}`;
    throw usageError(`${preset.name} has no fixed address: --base-url is missing${form}`);
  }
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw usageError(`--base-url ${problem}`);
  return baseUrl.replace(/\/+$/, "");
}

function windowOf({ contextWindow }: Given): string | undefined {
  const problem = contextWindow === undefined ? undefined : windowProblem(contextWindow);
  if (problem !== undefined) throw usageError(`--context-window takes ${problem}`);
  return contextWindow;
}

export function windowProblem(text: string): string | undefined {
  return /^[1-9]\d{2,8}$/.test(text) ? undefined : "a number of tokens, for example 200000";
}

function askedOf({ model, asked }: Given, preset: Preset | undefined, env: Env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of preset?.asks ?? []) {
    const value = name === "ANTHROPIC_MODEL" ? model : (asked?.[name] ?? env[name]);
    const how = name === "ANTHROPIC_MODEL" ? "--model is missing" : `set ${name} in the environment`;
    if (!value) throw usageError(`${preset?.name} needs ${name}: ${how}`);
    found[name] = value;
  }
  return found;
}

function keyOf(given: Given, provider: NewProvider): Pick<Settled, "key" | "written"> {
  const { key, reference } = given;
  if (tokenVariable(provider) === undefined) {
    if (key === undefined && reference === undefined) return { key: undefined, written: undefined };
    throw usageError(`${provider.preset?.name} takes no key, because it uses a login`);
  }
  if (reference !== undefined) {
    checkReference(reference);
    return { key: undefined, written: reference };
  }
  if (key !== undefined) {
    const problem = keyProblem(key);
    if (problem === undefined) return { key, written: undefined };
    throw usageError(problem);
  }
  const standIn = keyStandIn(provider);
  if (standIn !== undefined) return { key: undefined, written: standIn };
  throw missingKey();
}

/** The placeholder for a server that needs no key. Claude Code requires one anyway. */
export function keyStandIn({ preset, baseUrl }: Pick<NewProvider, "preset" | "baseUrl">): string | undefined {
  if (preset !== undefined) return preset.tokenDefault;
  const url = URL.parse(baseUrl ?? "");
  return url !== null && isLocal(url) ? "none" : undefined;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** The key may be added later, so this only warns. Commands run only when the key is needed. */
export async function warnOfReference(reference: string, world: World): Promise<void> {
  if (reference.startsWith("cmd:")) return;
  try {
    await resolveKey(reference, reference, world);
  } catch (error) {
    createLog(world).warn(`the reference has no key yet: ${messageOf(error)}`);
  }
}
