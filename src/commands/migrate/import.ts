import { docsPage } from "../../build-info.ts";
import { CONTEXT_WINDOW, modelsIn } from "../../claude/models.ts";
import { checkConfig } from "../../config/check.ts";
import { keepBackup } from "../../config/edit.ts";
import { writtenEnv } from "../../config/env.ts";
import { cccPaths } from "../../config/paths.ts";
import { EXIT, messageOf } from "../../errors.ts";
import { type KeyStorage, keyStorage, type Store } from "../../providers/keys.ts";
import { lacksWindow } from "../../providers/presets.ts";
import { shownReference } from "../../providers/show.ts";
import { providerStore } from "../../providers/store.ts";
import { isReference, TOKENS } from "../../providers/variables.ts";
import { canAsk, createLog } from "../../terminal/dialog.ts";
import { setIn } from "../../text/json-text.ts";
import { maskSecret, withoutUrlSecrets } from "../../text/redact.ts";
import { shellLine } from "../../text/shell.ts";
import { oneLine } from "../../text/shown.ts";
import { columns, outputWidth } from "../../text/table.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { nameFor } from "../provider/answers.ts";
import { usePlaces } from "../use/switch.ts";
import { type FoundTool, type Importable, OPENAI_FORMAT, readTool, type Tool } from "./tools.ts";

interface ImportRequest {
  readonly tool: Tool;
  readonly file: string | undefined;
  readonly store: Store | undefined;
  readonly yes: boolean;
}

/** Imports the providers of another tool, whose files stay as they are. */
export async function runImport(request: ImportRequest, world: World): Promise<number> {
  const { tool, file, store, yes } = request;
  const found = readTool(tool, file, world);
  const plan = planImport(found.providers, await knownProviders(world));
  const imports: Placed[] = [];
  for (const each of plan.add) {
    imports.push({
      ...each,
      storage: each.key === undefined ? undefined : await keyStorage(each.name, each.key, store, world),
    });
  }
  const places = new Map(
    imports.map(({ name, storage, key }) => [name, storage?.value === key ? "ccc.json" : "keychain"]),
  );
  world.stdout(describeImport(found, plan, places, outputWidth(world)));
  const count = imports.length;
  if (count === 0) {
    world.stdout("\nNothing to import.\n");
    return EXIT.ok;
  }
  if (!yes && !canAsk(world)) {
    world.stdout(`\nNothing was changed. To import ${count === 1 ? "it" : "them"}: ${importCommand(request)}\n`);
    return EXIT.ok;
  }
  if (!yes && !(await world.ask.confirm(`Add ${counted(count, "provider")} to ccc.json?`, false))) {
    world.stdout("Nothing was changed.\n");
    return EXIT.interrupted;
  }
  await save(imports, world);
  tell(imports, found, world);
  return EXIT.ok;
}

function importCommand({ tool, file, store }: ImportRequest): string {
  const where = [...(file === undefined ? [] : ["--file", file]), ...(store === undefined ? [] : ["--store", store])];
  return shellLine(["ccc", "migrate", "--from", tool, ...where, "--yes"]);
}

interface Placed extends NewImport {
  readonly storage: KeyStorage | undefined;
}

/** A provider in ccc.json. */
interface KnownProvider {
  readonly name: string;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** The key as ccc.json has it, and as the keychain has it. */
  readonly keys: readonly string[];
}

interface ImportPlan {
  readonly add: readonly NewImport[];
  /** Providers that ccc.json already has. */
  readonly known: readonly { readonly label: string; readonly name: string }[];
  readonly skipped: readonly { readonly label: string; readonly problem: string }[];
}

interface NewImport extends Importable {
  readonly name: string;
}

function planImport(found: FoundTool["providers"], providers: readonly KnownProvider[]): ImportPlan {
  const add: NewImport[] = [];
  const known: ImportPlan["known"][number][] = [];
  const skipped: ImportPlan["skipped"][number][] = [];
  const all = [...providers];
  for (const each of found) {
    const { label } = each;
    if ("problem" in each) {
      skipped.push(each);
      continue;
    }
    const wanted = nameFor(label, each.env, []);
    const same = all.find((other) => isSame(other, each, wanted));
    if (same === undefined) {
      const taken = all.map((other) => other.name);
      const name = nameFor(label, each.env, taken);
      add.push({ ...each, name });
      all.push(asKnown(name, each));
    } else known.push({ label, name: same.name });
  }
  return { add, known, skipped };
}

function asKnown(name: string, { env, key, written }: Importable): KnownProvider {
  return { name, baseUrl: env.ANTHROPIC_BASE_URL, model: modelsIn(env).configured, keys: [key ?? written ?? ""] };
}

/** The same account at the same server, with the same model, or with the same name: its model may have changed since. */
function isSame(known: KnownProvider, importable: Importable, wanted: string): boolean {
  const { baseUrl, model, keys } = asKnown(wanted, importable);
  if (known.baseUrl !== baseUrl || !keys.some((key) => known.keys.includes(key))) return false;
  return known.model === model || known.name === wanted;
}

async function knownProviders(world: World): Promise<KnownProvider[]> {
  const { config } = cccPaths(world);
  const text = world.files.read(config);
  const { providers } = text === undefined ? {} : checkConfig(text, config);
  return Promise.all(
    Object.entries(providers ?? {}).map(async ([name, entry]) => {
      const env = writtenEnv(entry?.env);
      const written = TOKENS.flatMap((token) => env[token] ?? []);
      const stored = await Promise.all(written.map((value) => fromKeychain(value, world)));
      return {
        name,
        baseUrl: env.ANTHROPIC_BASE_URL,
        model: modelsIn(env).configured,
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
  const { config } = cccPaths(world);
  const providers = providerStore(world, backups);
  const text = files.read(config);
  // Validated together before the first is saved.
  checkConfig(
    imports.reduce((whole, each) => setIn(whole, ["providers", each.name], entryOf(each)), text ?? "{}"),
    config,
  );
  if (text !== undefined) keepBackup(files, backups, text, now(), "ccc.json");
  for (const each of imports) {
    const { name, key, storage } = each;
    providers.add(name, entryOf(each));
    try {
      await storage?.put();
    } catch (error) {
      createLog(world).warn(`${messageOf(error)}; the key of "${name}" is in ccc.json instead`);
      providers.change(name, () => entryOf(each, key ?? ""));
    }
  }
}

function entryOf({ env, token, written, storage }: Placed, value = storage?.value ?? written ?? "") {
  return { env: { ...env, [token]: value } };
}

function tell(imports: readonly Placed[], { title }: FoundTool, world: World): void {
  const names = imports.map(({ name }) => name);
  const log = createLog(world);
  const unsure = imports
    .filter(({ env }) =>
      lacksWindow({ baseUrl: env.ANTHROPIC_BASE_URL, model: modelsIn(env).configured }, env[CONTEXT_WINDOW]),
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

/** A plan as text, keys masked. `places` has the store of each new key. */
function describeImport(tool: FoundTool, plan: ImportPlan, places: ReadonlyMap<string, string>, width: number): string {
  const { add, known, skipped } = plan;
  const count = add.length + known.length + skipped.length;
  return [
    `${tool.title} has ${counted(count, "provider")} for Claude Code in ${tool.path}.\n`,
    section(
      "New",
      add.map((each) => row(each, places.get(each.name))),
      width,
    ),
    section(
      "Not imported",
      add.filter(({ dropped }) => dropped.length > 0).map(({ name, dropped }) => [name, dropped.join(", ")]),
      width,
    ),
    section(
      "Already in ccc.json",
      known.map(({ label, name }) => [shownLabel(label), `as ${name}`]),
      width,
    ),
    section(
      "Skipped",
      skipped.map(({ label, problem }) => [shownLabel(label), problem]),
      width,
    ),
    skipped.some(({ problem }) => problem === OPENAI_FORMAT)
      ? `\nA gateway can translate OpenAI's format: ${GATEWAY_PAGE}\n`
      : "",
  ].join("");
}

const GATEWAY_PAGE = docsPage("recipes.md#a-gateway-that-translates");

/** Everything in it may come from another tool's file: no cell may contain terminal codes or line breaks. */
function section(title: string, rows: readonly (readonly string[])[], width: number): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => row.map((cell, column) => (column === 0 ? "  " : "") + oneLine(cell, LONGEST_CELL)));
  return `\n${title}:\n${columns(cells, width)}`;
}

function row({ name, label, env, key, written = "" }: NewImport, place: string | undefined): string[] {
  const shown = shownLabel(label);
  const unstored = isReference(written) ? shownReference(written) : "(no key needed)";
  return [
    shown === name ? name : `${name} (${shown})`,
    env.ANTHROPIC_BASE_URL === undefined ? "(Anthropic)" : withoutUrlSecrets(env.ANTHROPIC_BASE_URL),
    modelsIn(env).configured ?? "(default model)",
    key === undefined ? unstored : `${maskSecret(key)} → ${place}`,
  ];
}

function shownLabel(label: string): string {
  return oneLine(label, LONGEST_LABEL) || "(no name)";
}

const LONGEST_LABEL = 40;

const LONGEST_CELL = 300;
