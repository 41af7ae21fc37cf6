/** The name of a generated settings file. The variants are one provider's own. */
export function settingsFileName(provider: string, variant: SettingsVariant): string {
  return `settings-${provider}${VARIANT_SUFFIX[variant]}.json`;
}

export type SettingsVariant = keyof typeof VARIANT_SUFFIX;

/** That of the reviewer of `ccc use` stays what it is, whatever launches write. "~" is in no provider's name. */
const VARIANT_SUFFIX = { supervised: "", reviewer: "-supervisor", plain: "-plain", persistent: "~use" } as const;
export const VARIANTS: readonly SettingsVariant[] = ["supervised", "reviewer", "plain", "persistent"];

/** Settings with something of one launch in them are named after their content. "+" is in no provider's name. */
export function oneLaunchsFileName(provider: string, variant: SettingsVariant, content: string): string {
  return settingsFileName(provider, variant).replace(/\.json$/, `+${Bun.hash(content).toString(36)}.json`);
}

export function isOneLaunchs(path: string): boolean {
  return /settings-[^/+]+\+[0-9a-z]+\.json$/.test(path);
}
