import { join } from "../os/path.ts";
import type { Paths } from "./ccc-paths.ts";

/** The name of a generated settings file. Each provider has several variants. */
export function settingsFileName(provider: string, variant: SettingsVariant): string {
  return `settings-${provider}${VARIANT_SUFFIX[variant]}.json`;
}

export type SettingsVariant = keyof typeof VARIANT_SUFFIX;

/** `persistent` is for the reviewer of `ccc use`: launches never write it. No provider name contains "~". */
const VARIANT_SUFFIX = { supervised: "", reviewer: "-supervisor", plain: "-plain", persistent: "~use" } as const;
export const VARIANTS: readonly SettingsVariant[] = ["supervised", "reviewer", "plain", "persistent"];

/** Settings that are specific to one launch are named after their content. No provider name contains "+". */
export function launchSettingsFileName(provider: string, variant: SettingsVariant, content: string): string {
  return settingsFileName(provider, variant).replace(/\.json$/, `+${Bun.hash(content).toString(36)}.json`);
}

/** The link to ccc by which an editor starts a provider. */
export function linkPath({ generated }: Pick<Paths, "generated">, provider: string, platform: NodeJS.Platform): string {
  return join(generated, `bin/ccc-${provider}${platform === "win32" ? ".exe" : ""}`);
}

export function isLaunchSettings(path: string): boolean {
  return /settings-[^/+]+\+[0-9a-z]+\.json$/.test(path);
}
