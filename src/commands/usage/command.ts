import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CccError, EXIT } from "../../errors.ts";
import { lastUsagePath, lastUsageText } from "../../providers/usage/last-usage.ts";
import { docsPage } from "../../repository.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { askedProviders, timeoutIn } from "../asked-providers.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT } from "../shared-arguments.ts";
import { requestIdentity } from "../validate/identity.ts";
import { askUsage } from "./ask-usage.ts";
import { renderUsage } from "./render-usage.ts";
import { failed, type UsageAnswer } from "./usage-answer.ts";

const TIMEOUT_MS = 10_000;

const DESCRIPTION = `Show what is left at a provider: the windows of a plan, or a balance. One request, with the provider's own key and
to the host of its own address; it costs nothing. The status line shows the last answer with its age.

Known: Z.ai and BigModel, Kimi Code, Moonshot, MiniMax, DeepSeek, OpenRouter, SiliconFlow, StepFun.

Exit codes
  0    every provider that can be asked has answered
  1    a provider did not answer, its answer was not understood, or there is nothing to ask
  2    usage error, or unknown provider

JSON
  { ok, providers: [{ name, status, cause, detail, advice, figures: [{ kind, … }] }] }, explained in
  ${docsPage("usage.md#json")}`;

export function usageCommand(world: World) {
  return defineCommand({
    meta: { name: "usage", description: DESCRIPTION },
    args: {
      all: { type: "boolean", default: false, description: "ask all providers in ccc.json, at once" },
      json: JSON_FLAG,
      timeout: {
        type: "string",
        valueHint: "SECONDS",
        description: `timeout for each provider (default: ${TIMEOUT_MS / 1000})`,
      },
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.provider, args.all, world);
      return showUsage(world, loaded, names, { timeoutMs: timeoutIn(args.timeout) ?? TIMEOUT_MS, asJson: args.json });
    },
  });
}

interface UsageOptions {
  readonly timeoutMs: number;
  readonly asJson: boolean;
}

async function showUsage(
  world: World,
  loaded: LoadedConfig,
  names: readonly string[],
  { timeoutMs, asJson }: UsageOptions,
): Promise<number> {
  const asked = names.map(async (name) => ({ name, ...(await usageOf(name, loaded, world, timeoutMs)) }));
  const { NO_COLOR: noColor, TERM: terminal } = world.env;
  const view = { width: outputWidth(world), hasColor: world.isTerminal(1) && !noColor && terminal !== "dumb" };
  // In the order of ccc.json, each as soon as it and those before it are done.
  for (const each of asJson ? [] : asked) {
    const { name, ...answer } = await each;
    world.stdout(renderUsage(name, answer, { ...view, now: world.now().getTime() }));
  }
  const providers = await Promise.all(asked);
  const has = (status: UsageAnswer["status"]) => providers.some((each) => each.status === status);
  const ok = has("answered") && !has("failed");
  if (asJson) world.stdout(prettyJson({ ok, providers }));
  return ok ? EXIT.ok : EXIT.failure;
}

async function usageOf(name: string, loaded: LoadedConfig, world: World, timeoutMs: number): Promise<UsageAnswer> {
  try {
    const identity = await requestIdentity(loaded, name, world);
    const answer = await askUsage(name, identity, world, timeoutMs);
    if (answer.status === "answered") remember(world, name, answer);
    return answer;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return failed("configuration", withoutUrlSecrets(error.message), error.advice ?? "Fix it in ccc.json.");
  }
}

/** For the status line, which is not worth an error. */
function remember(world: World, name: string, { figures }: UsageAnswer): void {
  const text = lastUsageText({ time: world.now().getTime(), figures });
  try {
    world.files.writePrivate(lastUsagePath(cccPaths(world), name), text);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    createLog(world).warn(`the status line will not show this: ${error.message}`);
  }
}
