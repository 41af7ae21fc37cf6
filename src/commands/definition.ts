import type { ArgsDef, SubCommandsDef } from "citty";

/** A citty command, whatever its arguments are. */
export type AnyCommand = Exclude<Awaited<SubCommandsDef[string]>, () => unknown>;

/** A citty command with everything resolved that citty lets a command compute later. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly args: ArgsDef;
  readonly children: readonly Definition[];
  readonly command: AnyCommand;
}

export async function define(command: AnyCommand): Promise<Definition> {
  const meta = await settle(command.meta);
  const children = Object.values((await settle(command.subCommands)) ?? {});
  return {
    name: meta?.name ?? "",
    description: meta?.description ?? "",
    args: (await settle(command.args)) ?? {},
    children: await Promise.all(children.map(async (child) => define(await settle(child)))),
    command,
  };
}

/** The first sentence of a description. */
export function summary(description: string): string {
  const [paragraph = ""] = description.split("\n\n");
  return paragraph.replaceAll("\n", " ").split(/\.(?:\s|$)/)[0] ?? "";
}

async function settle<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === "function" ? (value as () => T | Promise<T>)() : value;
}
