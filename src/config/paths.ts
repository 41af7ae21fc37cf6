/** Where ccc keeps its own files, and how it names the settings that it generates. */
import { claudeFolder } from "../claude/layers.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

export interface Paths {
  readonly folder: string;
  readonly config: string;
  /** The folder of the generated settings. */
  readonly generated: string;
  /** Holds the stamp of the last valid ccc.json. */
  readonly checked: string;
}

export function cccPaths({ env, platform }: { readonly env: Env; readonly platform: NodeJS.Platform }): Paths {
  return pathsIn(env.CCC_CONFIG_DIR || claudeFolder(env, platform));
}

/** The paths in a known configuration folder. */
export function pathsIn(folder: string): Paths {
  const generated = join(folder, "ccc");
  return { folder, config: join(folder, "ccc.json"), generated, checked: join(generated, "checked") };
}

/**
 * The name of a generated settings file. Each provider has several variants. `of` is the index of a reviewer of `ccc use`, or
 * the id of the launch that the settings of a supervised agent contain. No provider name contains "+".
 */
export function settingsFileName(provider: string, variant: SettingsVariant, of: number | string = 0): string {
  return `settings-${provider}${VARIANT_SUFFIX[variant]}${of === 0 ? "" : `+${`${of}`.replaceAll("-", "")}`}.json`;
}

export type SettingsVariant = keyof typeof VARIANT_SUFFIX;

/**
 * Sessions in a terminal have hooks and a status line, or one of them. Each kind has a file of its own: Claude Code reads
 * a file again when another launch changes it. `persistent` is for the reviewer of `ccc use`: launches never write it.
 * `watched` is a file of older versions. No provider name contains "~".
 */
const VARIANT_SUFFIX = {
  supervised: "",
  watched: "~supervised",
  reviewer: "-supervisor",
  plain: "-plain",
  terminal: "~terminal",
  hooked: "~hooks",
  shown: "~status",
  persistent: "~use",
} as const;
export const VARIANTS = /* @__PURE__ */ Object.keys(VARIANT_SUFFIX) as readonly SettingsVariant[];

/** Other settings that are specific to one launch are named after their content. */
export function launchSettingsFileName(provider: string, variant: SettingsVariant, content: string): string {
  return settingsFileName(provider, variant, Bun.hash(content).toString(36));
}

/**
 * How long a generated settings file is kept: as long as a launch may need it, as the record of its supervised launch, or
 * until `ccc use --reset`. Undefined for the others, which every launch of their provider shares.
 */
export function settingsLifetime(path: string): "launch" | "supervised launch" | "use" | undefined {
  const [, variant, suffix] = /(?:^|[/\\])settings-[^/+~]+(~[a-z]+)?(?:\+([0-9a-z]+))?\.json$/.exec(path) ?? [];
  if (variant === VARIANT_SUFFIX.persistent) return "use";
  if (suffix === undefined) return undefined;
  return /^[0-9a-f]{32}$/.test(suffix) ? "supervised launch" : "launch";
}

/**
 * How long the record of a supervised launch is kept, and its settings: Claude Code reads them again in a session that runs
 * for weeks, or that its background service starts again.
 */
export const SUPERVISED_KEPT_MS = 90 * 24 * 3600 * 1000;
