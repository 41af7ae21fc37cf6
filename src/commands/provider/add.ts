import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { checkConfig } from "../../config/check.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { usageError } from "../../errors.ts";
import { lacksWindow, newSettings } from "../../providers/new-provider.ts";
import { withPresetNote } from "../../providers/preset-note.ts";
import { replaceSettings } from "../../providers/replace-settings.ts";
import { alreadyThere, changeProvider } from "../../providers/save.ts";
import { keyPlace, type Store } from "../../providers/store-key.ts";
import { docsPage } from "../../repository.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { keyFromStdin, STORE, TOKEN_REF, TOKEN_STDIN } from "./key-input.ts";
import { askWhatIsMissing } from "./questions.ts";
import { type Given, settle } from "./settle.ts";
import { forgetReplacedEntries, tellChanges, tellUse } from "./tell-changes.ts";
import { tryAnswers } from "./try-answers.ts";
import { warnOfReference } from "./warn-of-reference.ts";

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
