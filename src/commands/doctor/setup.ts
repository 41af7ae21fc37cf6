import type { Layers } from "../../claude/layers.ts";
import { hasStoredKey } from "../../claude/logins.ts";
import { isTested, NEWEST_TESTED, OLDEST_TESTED } from "../../claude/version.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { unknownKeys } from "../../config/misplaced-keys.ts";
import { presetUpdate } from "../../providers/preset-update.ts";
import { kindOf } from "../../providers/variables.ts";
import { docsPage } from "../../repository.ts";
import { counted } from "../../text/counts.ts";
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

export function checkConfigKeys({ config, providers }: LoadedConfig): Check {
  const detail = counted(providers.size, "provider");
  const unknown = unknownKeys(config);
  if (unknown.length === 0) return ok("ccc.json", detail);
  return warn(
    "ccc.json",
    `${detail}; ${counted(unknown.length, "unknown key")}: ${unknown.join(", ")}`,
    `ccc keeps what it does not know, and ignores it. For what it knows, see ${docsPage("configuration.md")}`,
  );
}

/** Whether the presets have changed since providers were made from them. Guesses are left to `ccc provider update`. */
export function checkPresets({ config }: LoadedConfig, only: string | undefined): Check {
  const names = Object.keys(config.providers ?? {}).filter((name) => only === undefined || name === only);
  const behind = names.filter((name) => {
    const update = presetUpdate(name, config.providers?.[name] ?? {});
    return update?.isNeeded && !update.isGuess;
  });
  if (behind.length === 0) return ok("presets", "no provider is behind its preset");
  const [one, ...more] = behind;
  return warn(
    "presets",
    `${behind.join(", ")}: the preset has changed since, so models may be outdated`,
    `To see what differs, and update: ccc provider update ${more.length === 0 ? one : "--all"}`,
  );
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
