import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { readLayers } from "../../claude/layers.ts";
import { checkConfig } from "../../config/check.ts";
import { cccPaths } from "../../config/paths.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { isCommandName } from "../../markers.ts";
import { keyStorage, type Store } from "../../providers/keys.ts";
import { findPreset } from "../../providers/preset-list.ts";
import { lacksWindow, type NewProvider, newSettings } from "../../providers/presets.ts";
import { shownReference } from "../../providers/show.ts";
import { alreadyThere, providerStore, replaceSettings } from "../../providers/store.ts";
import { kindOf } from "../../providers/variables.ts";
import { canAsk, createLog } from "../../terminal/dialog.ts";
import { shellLine } from "../../text/shell.ts";
import { optional, type World } from "../../world.ts";
import { usePlaces } from "../use/switch.ts";
import { type Answers, checkNewName, settleProvider } from "./answers.ts";
import { forgetReplacedEntries, tellChanges } from "./edit.ts";
import { KEY_FLAGS, readKeyOptions, warnOfReference } from "./keys.ts";

const DESCRIPTION = `Add a provider to ccc.json. On a terminal ccc asks for what is missing; elsewhere, pass everything as options.
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
      ...KEY_FLAGS,
      replace: {
        type: "boolean",
        default: false,
        description: "replace server, key and models of an existing provider; its other settings stay",
      },
    },
    run: async ({ args }) => {
      const { name, preset, model, store, replace } = args;
      const answers = {
        name,
        preset,
        baseUrl: args["base-url"],
        model,
        contextWindow: args["context-window"],
        fullPrompt: args["full-system-prompt"] || undefined,
        asApiKey: args["x-api-key"],
        ...readKeyOptions(args, world),
      };
      const added = await addProvider(answers, { store, replace }, world);
      createLog(world).info(`to check it: ccc validate ${added}; to start it: ccc ${added}`);
    },
  });
}

interface Options {
  readonly store: Store | undefined;
  readonly replace: boolean;
}

/** Adds a provider and returns its name. On a terminal, asks for what is missing. */
async function addProvider(answers: Answers, { store, replace }: Options, world: World): Promise<string> {
  const paths = cccPaths(world);
  const text = world.files.read(paths.config);
  const existing = text === undefined ? [] : Object.keys(checkConfig(text, paths.config).providers ?? {});
  // File systems may ignore case.
  const taken = existing.find((each) => each.toLowerCase() === answers.name?.toLowerCase());
  const advice = replace ? `To replace it: ccc provider add ${taken} --replace` : undefined;
  if (taken !== undefined && !(replace && taken === answers.name)) throw alreadyThere(taken, advice);
  const { name, provider, key, written } = await settleProvider(answers, existing, world);
  const storage = key === undefined ? undefined : await keyStorage(name, key, store, world);
  const value = storage?.value ?? written;
  const next = newSettings(provider, value);
  const change = (before: ProviderEntry | undefined) => {
    // Checked under the lock: another ccc may have added it meanwhile.
    if (before !== undefined && !replace) throw alreadyThere(name);
    return before === undefined ? next : replaceSettings(name, before, next);
  };
  const changed = providerStore(world, usePlaces(world).backups).change(name, change, world.now());
  await storage?.put();
  await forgetReplacedEntries(changed, name, world);
  const where = storage === undefined ? "" : `; its key is ${storage.where}`;
  const log = createLog(world);
  log.info(`${changed.before === undefined ? `added "${name}" to` : `replaced "${name}" in`} ${paths.config}${where}`);
  tellChanges(changed, name, world);
  const { preset, baseUrl = preset?.baseUrl, model, contextWindow } = provider;
  // Not wrapped: pasted in two lines, the first would run alone.
  const showAgain = (changed: string) =>
    world.stderr(`  ${sameAgain(name, provider, { ...answers, store }, changed)}\n`);
  const models = new Set(Object.values(preset?.models ?? {}));
  if (answers.preset === undefined && answers.baseUrl !== undefined && model === undefined && models.size > 0) {
    const own = [...models].join(", ");
    log.info(`its models are those of the preset ${preset?.name}: ${own}; for another one:`);
    showAgain("--model MODEL");
  }
  if (answers.baseUrl?.replace(/\/+$/, "") === `${baseUrl}/v1/messages`)
    log.info(`its address is ${baseUrl}, because Claude Code adds /v1/messages itself`);
  if (answers.baseUrl !== undefined && FOREIGN_PATH.test(baseUrl ?? "")) {
    log.warn(`requests will go to ${baseUrl}/v1/messages, as Claude Code adds that path; if it is wrong:`);
    showAgain("--base-url URL");
  }
  if (lacksWindow({ baseUrl, model }, contextWindow)) {
    log.warn(`Claude Code assumes a context window of 1M tokens for ${model}; if it is smaller:`);
    showAgain("--context-window TOKENS");
  }
  if (answers.reference !== undefined) await warnOfReference(answers.reference, world);
  return name;
}

/** How addresses of OpenAI's format end, and the paths below an address. */
const FOREIGN_PATH = /\/(v\d+|completions|responses|messages|count_tokens)$/;

/**
 * The command that adds a provider again with one thing changed. The key is asked for, or passed as it was; a reference that
 * may contain a key has to be written again.
 */
function sameAgain(
  name: string,
  provider: NewProvider,
  { key, reference, store }: Pick<Answers, "key" | "reference"> & Pick<Options, "store">,
  changed: string,
): string {
  const { preset, baseUrl, model, contextWindow, asApiKey, fullPrompt } = provider;
  const options = [
    ...(preset === undefined || preset.name === name ? [] : [["--preset", preset.name]]),
    ...(baseUrl === undefined ? [] : [["--base-url", baseUrl]]),
    ...(model === undefined ? [] : [["--model", model]]),
    ...(contextWindow === undefined ? [] : [["--context-window", contextWindow]]),
    ...(fullPrompt ? [["--full-system-prompt"]] : []),
    ...(asApiKey ? [["--x-api-key"]] : []),
    ...(reference === undefined ? [] : [["--token-ref", shownReference(reference) === reference ? reference : "REF"]]),
    ...(key === undefined ? [] : [["--token-stdin"]]),
    ...(store === undefined ? [] : [["--store", store]]),
  ].filter(([option = ""]) => !changed.startsWith(`${option} `));
  return `ccc provider add ${shellLine([name, "--replace", ...options.flat()])} ${changed}`;
}

/** Offers to add a first provider, `linked` if a link to ccc names it. Returns whether one was added. */
export async function offerProvider(world: World, linked: string | undefined): Promise<boolean> {
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
  const wanted = findPreset(linked ?? world.argv.find((word) => !word.startsWith("-")) ?? "");
  // What was typed is run once the provider is there, so it must have that name.
  const typed = linked ?? first;
  const name = wanted?.name ?? (/^[A-Za-z0-9._-]+$/.test(typed) ? optional(() => checkedName(typed)) : undefined);
  const question =
    wanted !== undefined
      ? `Set up ${wanted.name} (${wanted.label}) now?`
      : `Add ${name === undefined ? "one" : `one named "${name}"`} now?`;
  if (!(await world.ask.confirm(question, true))) {
    throw new CccError("nothing was changed", { advice: "To add a provider later: ccc provider add" });
  }
  const added = await addProvider(name === undefined ? {} : { name }, { store: undefined, replace: false }, world);
  log.info(`starting ${added}; next time: ccc ${added}`);
  return true;
}

function checkedName(name: string): string {
  checkNewName(name);
  return name;
}

function hasProviderInSettings(world: World): boolean {
  const [user] = readLayers(world.files, world).settings;
  return Object.entries(user?.env ?? {}).some(([name, value]) => value && kindOf(name) && kindOf(name) !== "model");
}
