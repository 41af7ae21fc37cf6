import { CONTEXT_WINDOW, configuredModel } from "../../../claude/model.ts";
import { keepBackup } from "../../../config/backup.ts";
import { cccPaths } from "../../../config/ccc-paths.ts";
import { checkConfig } from "../../../config/check.ts";
import { EXIT, messageOf } from "../../../errors.ts";
import { lacksWindow } from "../../../providers/new-provider.ts";
import { changeProvider, saveProvider } from "../../../providers/save.ts";
import { type KeyPlace, keyPlace, type Store } from "../../../providers/store-key.ts";
import { TOKENS } from "../../../providers/variables.ts";
import { canAsk, confirm } from "../../../terminal/ask.ts";
import { createLog } from "../../../terminal/log.ts";
import { counted } from "../../../text/counts.ts";
import { setIn } from "../../../text/json-text.ts";
import { outputWidth } from "../../../text/table.ts";
import type { World } from "../../../world.ts";
import { usePlaces } from "../../use/use-places.ts";
import { readCcSwitch } from "./cc-switch.ts";
import { readCcs } from "./ccs.ts";
import { readClaudeCodeRouter } from "./claude-code-router.ts";
import { describeImport } from "./describe-import.ts";
import type { FoundTool } from "./found-elsewhere.ts";
import { type KnownProvider, type NewImport, planImport } from "./plan-import.ts";

/** The tools whose providers can be imported. */
export const TOOLS = ["cc-switch", "ccs", "claude-code-router"] as const;

type Tool = (typeof TOOLS)[number];

const READERS: Readonly<Record<Tool, (world: World, file: string | undefined) => FoundTool>> = {
  "cc-switch": readCcSwitch,
  ccs: readCcs,
  "claude-code-router": readClaudeCodeRouter,
};

export interface ImportRequest {
  readonly tool: Tool;
  readonly file: string | undefined;
  readonly store: Store | undefined;
  readonly yes: boolean;
}

/** Imports the providers of another tool, whose files stay as they are. */
export async function runImport({ tool, file, store, yes }: ImportRequest, world: World): Promise<number> {
  const found = READERS[tool](world, file);
  const plan = planImport(found.providers, await knownProviders(world));
  const imports: Placed[] = [];
  for (const each of plan.add) {
    imports.push({
      ...each,
      place: each.key === undefined ? undefined : await keyPlace(each.name, each.key, store, world),
    });
  }
  const places = new Map(imports.map(({ name, place, key }) => [name, place?.value === key ? "ccc.json" : "keychain"]));
  world.stdout(describeImport(found, plan, places, outputWidth(world)));
  const count = imports.length;
  if (count === 0) {
    world.stdout("\nNothing to import.\n");
    return EXIT.ok;
  }
  if (!yes && !canAsk(world)) {
    world.stdout(`\nNothing was changed. To import ${count === 1 ? "it" : "them"}, add --yes.\n`);
    return EXIT.ok;
  }
  if (!yes && !(await confirm(`Add ${counted(count, "provider")} to ccc.json?`, world))) {
    world.stdout("Nothing was changed.\n");
    return EXIT.ok;
  }
  await save(imports, world);
  tell(imports, found, world);
  return EXIT.ok;
}

interface Placed extends NewImport {
  readonly place: KeyPlace | undefined;
}

async function knownProviders(world: World): Promise<KnownProvider[]> {
  const { config } = cccPaths(world);
  const text = world.files.read(config);
  const { providers } = text === undefined ? {} : checkConfig(text, config);
  return Promise.all(
    Object.entries(providers ?? {}).map(async ([name, entry]) => {
      const env = Object.fromEntries(Object.entries(entry?.env ?? {}).map(([each, value]) => [each, String(value)]));
      const written = TOKENS.flatMap((token) => env[token] ?? []);
      const stored = await Promise.all(written.map((value) => fromKeychain(value, world)));
      return {
        name,
        baseUrl: env.ANTHROPIC_BASE_URL,
        model: configuredModel(env),
        keys: [...written, ...stored.flat()],
      };
    }),
  );
}

/** A keychain that cannot be read only means that the provider is not recognized as the same. */
async function fromKeychain(value: string, { keychain }: World): Promise<string[]> {
  if (!value.startsWith("keychain:")) return [];
  try {
    const key = await keychain.get(value.slice("keychain:".length));
    return key === null ? [] : [key];
  } catch {
    return [];
  }
}

async function save(imports: readonly Placed[], world: World): Promise<void> {
  const { files, now } = world;
  const { backups } = usePlaces(world);
  const paths = { ...cccPaths(world), backups };
  const text = files.read(paths.config);
  // All of them together, before the first is saved.
  checkConfig(
    imports.reduce((whole, each) => setIn(whole, ["providers", each.name], entryOf(each)), text ?? "{}"),
    paths.config,
  );
  if (text !== undefined) keepBackup(files, backups, text, now(), "ccc.json");
  for (const each of imports) {
    const { name, key, place } = each;
    saveProvider(files, paths, name, entryOf(each));
    try {
      await place?.put();
    } catch (error) {
      createLog(world).warn(`${messageOf(error)}; the key of "${name}" is in ccc.json instead`);
      changeProvider(files, paths, name, () => entryOf(each, key ?? ""));
    }
  }
}

function entryOf({ env, token, written, place }: Placed, value = place?.value ?? written ?? "") {
  return { env: { ...env, [token]: value } };
}

function tell(imports: readonly Placed[], { title }: FoundTool, world: World): void {
  const names = imports.map(({ name }) => name);
  const log = createLog(world);
  const unsure = imports
    .filter(({ env }) =>
      lacksWindow({ baseUrl: env.ANTHROPIC_BASE_URL, model: configuredModel(env) }, env[CONTEXT_WINDOW]),
    )
    .map(({ name }) => name);
  if (unsure.length > 0) {
    const models = unsure.length === 1 ? "model" : "models";
    log.warn(
      `Claude Code assumes a context window of 1M tokens for the ${models} of ${unsure.join(", ")}; if it is smaller, set ${CONTEXT_WINDOW} in env: ccc provider edit ${unsure[0]}`,
    );
  }
  const check = `ccc validate ${names.length === 1 ? names[0] : "--all"}`;
  world.stdout(
    `\nAdded ${names.join(", ")}. ${title} was not changed.\nTo check: ${check}. To start: ccc ${names[0]}\n`,
  );
}
