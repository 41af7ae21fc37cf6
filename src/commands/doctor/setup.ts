import { hostOf } from "../../claude/clouds.ts";
import type { Layers } from "../../claude/layers.ts";
import { hasStoredKey } from "../../claude/logins.ts";
import { isTested, NEWEST_TESTED, OLDEST_TESTED } from "../../claude/version.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { CccError, messageOf } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { resolvedIdentity } from "../../providers/credentials.ts";
import { kindOf } from "../../providers/variables.ts";
import type { Env, World } from "../../world.ts";
import { useStatus } from "../use/status.ts";
import { usePlaces } from "../use/use-places.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";

export function checkVersion(claude: string, version: string | undefined): Check {
  const range = `the supervisor is tested on ${OLDEST_TESTED} to ${NEWEST_TESTED}`;
  if (version === undefined) return warn("claude version", `${claude} does not report its version`, range);
  if (isTested(version)) return ok("claude version", `${version}, ${claude}`);
  const isOld = Bun.semver.order(version, OLDEST_TESTED) < 0;
  if (isOld) return fail("claude version", `${version} is too old; ${range}`, "Update it: claude update");
  return warn(
    "claude version",
    `${version} is newer than the tested versions; ${range}`,
    "If the live checks below pass, this is fine.",
  );
}

export function checkOwnPath(self: string, env: Env): Check {
  const temporary = ["/tmp/", "/var/folders/", "/private/tmp/", `${env.TMPDIR ?? "/tmp"}/`].some((folder) =>
    self.startsWith(folder),
  );
  if (!temporary) return ok("ccc path", self);
  return warn(
    "ccc path",
    `${self} is in a temporary folder, but hooks call it by that path`,
    "Install ccc in a permanent folder, for example ~/.local/bin.",
  );
}

/** ccc.json and what is generated from it hold keys. */
export function checkConfigPrivacy({ files, platform }: World, { config, generated }: Paths): Check {
  // Windows has no modes, and Bun reports every file there as readable by all.
  if (platform === "win32") return ok("ccc.json private", `${config} has the access rules of its folder`);
  const open = [config, generated].filter((path) => ((files.identify(path)?.mode ?? 0) & 0o077) !== 0);
  if (open.length === 0) return ok("ccc.json private", config);
  return warn(
    "ccc.json private",
    `other users of this machine can read ${open.join(" and ")}`,
    `chmod go= ${open.join(" ")}`,
  );
}

/** One check per provider, or only for `only`. */
export async function* checkProviders(
  loaded: LoadedConfig,
  only: string | undefined,
  world: World,
): AsyncGenerator<Check> {
  for (const name of loaded.providers.keys()) {
    if (only !== undefined && name !== only) continue;
    try {
      const { env } = await resolvedIdentity(currentLaunch(world, loaded, name), world);
      yield ok(`provider ${name}`, env.ANTHROPIC_BASE_URL ? "address and key are set" : hostOf(env));
    } catch (error) {
      const advice = error instanceof CccError ? error.advice : undefined;
      yield fail(`provider ${name}`, messageOf(error), advice ?? "Fix it in ccc.json.");
    }
  }
}

/** Variables from elsewhere that plain claude would mix with the provider's. */
export function checkConflicts(layers: Layers, env: Env, world: World): Check {
  const found = [
    ...named(env).map((name) => `${name} in the shell`),
    ...layers.settings.flatMap((layer) => named(layer.env).map((name) => `${name} in ${layer.path}`)),
    ...layers.settings.filter((layer) => layer.apiKeyHelper).map((layer) => `apiKeyHelper in ${layer.path}`),
    ...(hasStoredKey(world.files, world) ? ["an API key stored by a login"] : []),
  ];
  if (found.length === 0) return ok("conflicting variables", "none");
  return warn(
    "conflicting variables",
    found.join("; "),
    "ccc ignores them in favour of the provider; plain claude would use them. Details: ccc why",
  );
}

export function checkUse(world: World, loaded: LoadedConfig): Check {
  const status = useStatus(usePlaces(world));
  if (status === undefined) return ok("ccc use", "not in use");
  const { provider, supervised, changed } = status;
  if (!loaded.providers.has(provider)) {
    return fail("ccc use", `plain claude uses ${provider}, which is no longer in ccc.json`, "ccc use --reset");
  }
  if (changed.length === 0) return ok("ccc use", `plain claude uses ${provider}${supervised ? ", supervised" : ""}`);
  return warn(
    "ccc use",
    `settings.json no longer says what ccc put there for ${provider}: ${changed.join(", ")}`,
    `ccc use ${supervised ? "--supervisor " : ""}${provider}, or ccc use --reset`,
  );
}

function named(env: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(env).filter((name) => env[name] && kindOf(name) !== undefined);
}
