/** The name of a generated settings file. The variants are one provider's own. */
export function settingsFileName(provider: string, variant: SettingsVariant): string {
  return `settings-${provider}${VARIANT_SUFFIX[variant]}.json`;
}

export type SettingsVariant = keyof typeof VARIANT_SUFFIX;

const VARIANT_SUFFIX = { supervised: "", reviewer: "-supervisor", plain: "-plain" } as const;
export const VARIANTS: readonly SettingsVariant[] = ["supervised", "reviewer", "plain"];
