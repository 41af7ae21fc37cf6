import type { Source } from "./collect-settings.ts";

/** Where a setting comes from, in words. */
export type PlaceName = (of: { readonly source: Source; readonly by: string | null }) => string;

export function placeName(provider: string | null): PlaceName {
  return ({ source, by }) => `${NAMES[source].replace("*", provider ?? "")}${by === null ? "" : ` (by ccc use ${by})`}`;
}

const NAMES: Readonly<Record<Source, string>> = {
  shell: "your shell",
  user: "user settings",
  project: "project settings",
  local: "local settings",
  managed: "managed policy",
  login: "a login",
  shared: "ccc.json settings",
  provider: "ccc.json providers.*",
};
