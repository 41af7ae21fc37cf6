import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, EXIT } from "../../errors.ts";
import { presetUpdate } from "../../providers/presets.ts";
import { entryOf } from "../../providers/store.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { withoutUrlSecrets } from "../../text/redact.ts";
import { columns, outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { askedProviders } from "../asked-provider.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT, timeoutIn } from "../shared.ts";
import { type DeepCheck, type DeepValidation, deepValidate, MOST_REQUESTS, NOTHING_ASKED } from "./deep.ts";
import { requestIdentity, TIMEOUT_MS, type Validation, validateProvider } from "./validate.ts";

const DESCRIPTION = `Check address, key and model of a provider with one small request. The answer is one token long.

With --deep, check everything that Claude Code needs of it, and say which setting helps if something is missing:
every model that it names, streaming, a tool call, a tool result, tool_reference. That usually takes five to nine small requests.

Signs
  ✓    works
  ✗    does not work
  -    not checked: it uses a login or a cloud

Exit codes
  0    no ✗
  1    at least one ✗
  2    usage error, or unknown provider

JSON
  { ok, providers: [{ name, status, cause, detail, advice }] }, with --deep also
  { checks: [{ check, model, status, detail, advice, setting }], requests, tokens }, explained in
  ${docsPage("providers.md#ccc-validate")}`;

export function validateCommand(world: World) {
  return defineCommand({
    meta: {
      name: "validate",
      description: DESCRIPTION,
    },
    args: {
      all: { type: "boolean", default: false, description: "check all providers in ccc.json" },
      deep: {
        type: "boolean",
        default: false,
        description: `also check models, streaming and tools: at most ${MOST_REQUESTS} small requests for each provider`,
      },
      json: JSON_FLAG,
      timeout: {
        type: "string",
        valueHint: "SECONDS",
        description: `timeout for each request (default: ${TIMEOUT_MS / 1000}, with --deep ${DEEP_TIMEOUT_MS / 1000})`,
      },
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.provider, args.all, world);
      const timeoutMs = timeoutIn(args.timeout) ?? (args.deep ? DEEP_TIMEOUT_MS : TIMEOUT_MS);
      return validate(world, loaded, names, { timeoutMs, asJson: args.json, isDeep: args.deep });
    },
  });
}

const SIGNS = { valid: "✓", invalid: "✗", unchecked: "-" } as const;

interface How {
  readonly timeoutMs: number;
  readonly asJson: boolean;
  readonly isDeep: boolean;
}

/** A model may think before it calls a tool. */
const DEEP_TIMEOUT_MS = 60_000;

async function validate(world: World, loaded: LoadedConfig, names: readonly string[], how: How): Promise<number> {
  if (how.isDeep) createLog(world).info(`asking ${names.join(", ")}: at most ${MOST_REQUESTS} small requests each`);
  const asked = names.map(async (name) => ({ name, ...(await validationOf(name, loaded, world, how)) }));
  const room = outputWidth(world);
  const column = Math.max(...names.map((name) => Bun.stringWidth(name)));
  // In the order of ccc.json, each as soon as it and those before it are done.
  for (const each of how.asJson ? [] : asked) {
    const found = await each;
    const { name, status, detail, advice } = found;
    const label = `${SIGNS[status]} ${name}${" ".repeat(column - Bun.stringWidth(name))}`;
    world.stdout(columns([[label, detail], ...(advice === "" ? [] : [["", advice]])], room));
    if ("checks" in found && found.requests > 0) world.stdout(deepTable(found, room));
  }
  const providers = await Promise.all(asked);
  const ok = providers.every(({ status }) => status !== "invalid");
  if (how.asJson) world.stdout(prettyJson({ ok, providers }));
  return ok ? EXIT.ok : EXIT.failure;
}

async function validationOf(
  name: string,
  loaded: LoadedConfig,
  world: World,
  { isDeep, timeoutMs }: How,
): Promise<Validation | DeepValidation> {
  try {
    const identity = await requestIdentity(loaded, name, world);
    const found = await (isDeep ? deepValidate : validateProvider)(identity, world.fetch, timeoutMs);
    return withPresetAdvice(found, name, entryOf(loaded.config.providers, name) ?? {});
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const wrong: Validation = {
      status: "invalid",
      cause: "configuration",
      detail: withoutUrlSecrets(error.message),
      advice: error.advice ?? "Fix it in ccc.json.",
    };
    return isDeep ? { ...wrong, ...NOTHING_ASKED } : wrong;
  }
}

/** The checks of one provider, each with what helps, and what they cost. */
function deepTable({ checks, requests, tokens }: DeepValidation, width: number): string {
  const rows = checks.flatMap(({ check, status, detail, advice }) => [
    [`  ${SIGNS[status]} ${LABELS[check]}`, detail],
    ...(advice === "" ? [] : [["", advice]]),
  ]);
  const used = tokens.input + tokens.output;
  const cost = `  ${requests} ${requests === 1 ? "request" : "requests"}`;
  const known = used === 0 ? "" : `, ${used.toLocaleString("en")} tokens counted by the server`;
  return `${columns(rows, width)}${cost}${known}\n`;
}

const LABELS: Readonly<Record<DeepCheck["check"], string>> = {
  model: "model",
  streaming: "streaming",
  tool_call: "tool call",
  tool_result: "tool result",
  tool_reference: "tool reference",
};

/** If the server does not know a model, the provider's preset may have a newer one. */
function withPresetAdvice(found: Validation | DeepValidation, name: string, entry: ProviderEntry) {
  const isUnknown =
    found.cause === "model_unknown" ||
    ("checks" in found && found.checks.some(({ check, status }) => check === "model" && status === "invalid"));
  if (!isUnknown || !presetUpdate(name, entry)?.hasOtherModels) return found;
  return { ...found, advice: `Its preset now has other models: ccc provider update ${name}` };
}
