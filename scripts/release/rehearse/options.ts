import { parseArgs } from "node:util";

export interface RehearsalOptions {
  readonly only: readonly string[];
  /** A finished release to rehearse, instead of building one. */
  readonly assets: string | undefined;
  readonly strict: boolean;
}

/** Reads the command line. Returns a string if something is wrong with it. */
export function rehearsalOptions(argv: readonly string[], steps: readonly string[]): RehearsalOptions | string {
  let values: { only: string[]; assets?: string | undefined; strict: boolean };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        only: { type: "string", multiple: true, default: [] },
        assets: { type: "string" },
        strict: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { only, assets, strict } = values;
  const unknown = only.find((name) => !steps.includes(name));
  if (unknown !== undefined) return `unknown step "${unknown}"; there are: ${steps.join(", ")}`;
  if (assets !== undefined && only.includes("build")) return "--only build cannot be combined with --assets";
  return { only, assets, strict };
}
