import { settingsFileName, VARIANTS } from "../config/settings-files.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { lastUsagePath } from "./usage/last-usage.ts";

/** Removes the settings that launches of a provider have generated, which the next launch writes again, and its last usage. */
export function removeGenerated(files: Files, folder: string, provider: string): void {
  const own = VARIANTS.map((variant) => settingsFileName(provider, variant));
  const begins = own.map((file) => file.replace(/\.json$/, "+"));
  for (const file of files.list(folder)) {
    const isOwn = own.includes(file) || begins.some((begin) => file.startsWith(begin));
    if (isOwn) files.remove(join(folder, file));
  }
  files.remove(lastUsagePath({ generated: folder }, provider));
}
