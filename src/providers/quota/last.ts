import type { Paths } from "../../config/paths.ts";
import { join } from "../../os/path.ts";
import { asObject, parseJson, prettyJson } from "../../text/json.ts";
import type { UsageFigure } from "./readers.ts";

/** The last answer to `ccc usage` about a provider. A file keeps it for the status line. */
export interface LastUsage {
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly figures: readonly UsageFigure[];
}

export function lastUsagePath({ generated }: Pick<Paths, "generated">, provider: string): string {
  return join(join(generated, "usage"), `${provider}.json`);
}

export function lastUsageText({ time, figures }: LastUsage): string {
  return prettyJson({ asked_at: new Date(time).toISOString(), figures });
}

/** Undefined if the text cannot be read. Without valibot: the status line reads it every second or two. */
export function readLastUsage(text: string): LastUsage | undefined {
  const { asked_at: asked, figures } = asObject(parseJson(text));
  const time = typeof asked === "string" ? Date.parse(asked) : Number.NaN;
  if (Number.isNaN(time) || !Array.isArray(figures)) return undefined;
  return { time, figures: figures.filter(isFigure) };
}

function isFigure(value: unknown): value is UsageFigure {
  const { kind, name, hours, used_percent: used, resets_at: resets, amount, currency } = asObject(value);
  if (kind === "window") {
    const isLong = hours === null || typeof hours === "number";
    return (
      typeof name === "string" && isLong && typeof used === "number" && (resets === null || typeof resets === "string")
    );
  }
  return kind === "balance" && typeof amount === "number" && typeof currency === "string";
}
