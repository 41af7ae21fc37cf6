import type { Pin } from "../../config/pins.ts";
import { columns, wrap } from "../../text/table.ts";

export interface ShownPins {
  /** The folder that was asked about. */
  readonly folder: string;
  /** Its own pin, or that of a folder above it. */
  readonly pin: Pin | null;
  readonly pins: readonly Pin[];
}

export function showPins({ folder, pin, pins }: ShownPins, width: number): string {
  const none = `${folder} is not pinned. To pin it: ccc pin NAME`;
  const first = wrap(pin === null ? none : pinSentence(pin), width);
  if (pins.length === 0) return `${first}\n`;
  const rows = pins.map((each) => [`  ${each.folder}`, `${each.provider}${each.only ? " only" : ""}`]);
  return `${first}\n\nAll pins\n${columns(rows, width)}`;
}

/** What a pin means in its folder. */
export function pinSentence({ folder, provider, only }: Pin): string {
  const effect = only ? " only: other providers are refused here" : ": plain ccc uses it here";
  return `${folder} is pinned to ${provider}${effect}.`;
}

/** What was done, and what counted before. */
export function pinnedSentence(pin: Pin, before: Pin | undefined): string {
  const effect = pin.only
    ? `Other providers are refused there, also as reviewers; to use one anyway: ccc --anyway NAME`
    : "Plain ccc uses it there and in all folders below.";
  const instead = before === undefined || isSame(before, pin) ? "" : ` Before: ${named(before)}, of ${before.folder}.`;
  return `${pin.folder} is pinned to ${named(pin)}.${instead} ${effect}`;
}

function named({ provider, only }: Pin): string {
  return only ? `${provider} only` : provider;
}

function isSame(one: Pin, other: Pin): boolean {
  return one.folder === other.folder && one.provider === other.provider && one.only === other.only;
}
