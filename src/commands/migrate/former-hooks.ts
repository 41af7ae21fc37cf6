import { PERSISTENT_FLAG } from "../../marks.ts";
import { asObject } from "../../text/json.ts";

/** A hook that an earlier ccc put into settings.json. */
export interface FormerHook {
  readonly event: string;
  /** Its entry in settings.json, and that entry without the hook (undefined if nothing else is in it). */
  readonly entry: unknown;
  readonly without: unknown;
  readonly command: string;
}

/** They would review sessions of plain claude, without the provider that they were meant for. */
export function formerHooks(settings: Readonly<Record<string, unknown>>): FormerHook[] {
  return Object.entries(asObject(settings.hooks)).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => {
      const hooks = asObject(entry).hooks;
      const all: readonly unknown[] = Array.isArray(hooks) ? hooks : [];
      const former = all.filter((hook) => isFormer(commandOf(hook)));
      const rest = all.filter((hook) => !former.includes(hook));
      const without = rest.length === 0 ? undefined : { ...asObject(entry), hooks: rest };
      return former.length === 0 ? [] : [{ event, entry, without, command: former.map(commandOf).join("; ") }];
    }),
  );
}

/** The hook of `ccc use` is a current one. */
function isFormer(command: string): boolean {
  if (command.includes(PERSISTENT_FLAG)) return false;
  return (
    /(^|[\s/\\"'])ccc(\.exe)?["']?\s+supervisor-hook\b/.test(command) || /(^|[\s/\\"'])ccc-supervisor/.test(command)
  );
}

function commandOf(hook: unknown): string {
  const { command } = asObject(hook);
  return typeof command === "string" ? command : "";
}
