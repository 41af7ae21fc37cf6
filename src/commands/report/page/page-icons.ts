import { type Html, html } from "../../../text/html.ts";

export type IconTone = "good" | "bad" | "warn" | "quiet";

/** A round sign with a meaning that can be read aloud. */
export function icon(tone: IconTone, label: string): Html {
  return html`<svg class="icon ${tone}" viewBox="0 0 16 16" role="img" aria-label="${label}"><circle cx="8" cy="8" r="7.25"/><path d="${PATHS[tone]}"/></svg>`;
}

const PATHS: Record<IconTone, string> = {
  good: "M4.8 8.3l2.2 2.2 4.2-4.7",
  bad: "M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2",
  warn: "M8 4.2v4.6M8 11.4v.2",
  quiet: "M5 8h6",
};
