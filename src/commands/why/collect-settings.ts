import type { Layers } from "../../claude/layers.ts";
import type { Logins } from "../../claude/logins.ts";
import { type Kind, kindOf } from "../../providers/variables.ts";
import type { Env } from "../../world.ts";

/** Where a setting comes from. For plain claude, from shell to managed, the later wins. */
export type Source = "shell" | "user" | "project" | "local" | "managed" | "login" | "shared" | "provider";

export interface Setting {
  /** A variable, or one of the names below. */
  readonly name: string;
  readonly kind: Kind;
  readonly source: Source;
  /** The file, empty for the shell. */
  readonly path: string;
  readonly value: string;
  /** The provider for which `ccc use` wrote it; null if something else did. */
  readonly by: string | null;
}

export const HELPER = "apiKeyHelper";
export const STORED_KEY = "stored API key";
export const STORED_LOGIN = "stored login";

export interface SettingPlaces {
  readonly env: Env;
  readonly layers: Layers;
  readonly logins: Logins;
  /** ccc.json: shared settings, and the provider's own. */
  readonly ccc: { readonly path: string; readonly shared: Block; readonly own: Block };
  /** What `ccc use` wrote into the user's settings, if it is in use. */
  readonly use: UseSettings | undefined;
}

export interface UseSettings extends Block {
  readonly provider: string;
}

export interface Block {
  readonly env: Readonly<Record<string, unknown>>;
  readonly apiKeyHelper: unknown;
}

/** All provider settings from all places, the weakest first. */
export function collectSettings({ env, layers, logins, ccc, use }: SettingPlaces): Setting[] {
  const shell = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  return [
    ...fromBlock({ env: shell, apiKeyHelper: undefined }, "shell", ""),
    ...layers.settings
      .flatMap((layer) => fromBlock(layer, layer.scope, layer.path))
      .map((each) => (each.source === "user" ? { ...each, by: writtenFor(each, use) } : each)),
    ...layers.managed.flatMap((layer) => fromBlock(layer, layer.scope, layer.path)),
    ...fromLogin(STORED_KEY, logins.key, logins.keyPath),
    ...fromLogin(STORED_LOGIN, logins.token, logins.tokenPath),
    ...fromBlock(ccc.shared, "shared", ccc.path),
    ...fromBlock(ccc.own, "provider", ccc.path),
  ];
}

function fromBlock({ env, apiKeyHelper }: Block, source: Source, path: string): Setting[] {
  const settings: Setting[] = [];
  for (const [name, value] of Object.entries(env)) {
    const kind = kindOf(name);
    if (kind !== undefined) settings.push({ name, kind, source, path, value: String(value), by: null });
  }
  if (typeof apiKeyHelper === "string") {
    settings.push({ name: HELPER, kind: "credential", source, path, value: apiKeyHelper, by: null });
  }
  return settings;
}

function fromLogin(name: string, value: string | undefined, path: string): Setting[] {
  return value === undefined ? [] : [{ name, kind: "credential", source: "login", path, value, by: null }];
}

/** Only while the value is still the one that `ccc use` wrote. */
function writtenFor({ name, value }: Setting, use: UseSettings | undefined): string | null {
  const written = name === HELPER ? use?.apiKeyHelper : use?.env[name];
  return use !== undefined && written === value ? use.provider : null;
}
