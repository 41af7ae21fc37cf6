import { hostOf } from "../../claude/clouds.ts";
import { chooseProvider } from "../../config/choose-provider.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { allPins, type Pin } from "../../config/pins.ts";
import { CccError, EXIT } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { launchProbe } from "../../supervisor/setup/launch-probe.ts";
import { counted } from "../../text/counts.ts";
import type { World } from "../../world.ts";
import { type Check, fail, ok } from "./check-result.ts";

/** Whether each provider would be launched, and with supervision; or only the provider `only`. */
export async function* checkLaunches(
  world: World,
  loaded: LoadedConfig,
  only: string | undefined,
): AsyncGenerator<Check> {
  const probe = launchProbe(world, loaded);
  const supervised = new Map<string, CccError>();
  for (const name of only === undefined ? loaded.providers.keys() : [only]) {
    const launch = currentLaunch(world, loaded, name);
    const found = await probe(name, false);
    // A missing claude has a check of its own.
    const problem = found?.exitCode === EXIT.noClaude ? launch.problem : found;
    const { env } = launch.configured;
    if (problem !== undefined) yield failed(`provider ${name}`, problem);
    else yield ok(`provider ${name}`, env.ANTHROPIC_BASE_URL ? "address and key are set" : hostOf(env));
    const more = await probe(name, true);
    if (more !== undefined && more.message !== found?.message) supervised.set(more.message, more);
  }
  yield checkSupervisor([...supervised.values()]);
  if (only === undefined) yield* checkChoices(loaded);
}

/** What prevents supervision alone. */
function checkSupervisor([first, ...others]: readonly CccError[]): Check {
  if (first === undefined) return ok("supervisor", "nothing prevents a supervised launch");
  const { status, name, detail, advice } = failed("supervisor", first);
  return { name, status, detail: [detail, ...others.map(({ message }) => message)].join("; "), advice };
}

/** Whether launches that name no provider find one: the current one, and in folders the one that they are pinned to. */
function* checkChoices(loaded: LoadedConfig): Generator<Check> {
  const current = choice(loaded, undefined);
  yield current instanceof CccError ? failed("current provider", current) : ok("current provider", current);
  const pins = allPins(loaded.config);
  const broken = pins.map((pin) => choice(loaded, pin)).filter((each) => each instanceof CccError);
  for (const problem of broken) yield failed("pins", problem);
  if (broken.length === 0) yield ok("pins", pins.length === 0 ? "none" : counted(pins.length, "folder"));
}

function choice(loaded: LoadedConfig, pin: Pin | undefined): string | CccError {
  try {
    return chooseProvider(loaded, pin).provider;
  } catch (error) {
    if (error instanceof CccError) return error;
    throw error;
  }
}

function failed(name: string, { message, advice }: CccError): Check {
  const isAboutFiles = message.startsWith("cannot write ");
  return fail(
    name,
    message,
    advice ?? (isAboutFiles ? "Make that path writable: ccc keeps its files there." : "Fix it in ccc.json."),
  );
}
