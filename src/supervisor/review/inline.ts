import { oneLine } from "../../text/one-line.ts";

/** Makes text of the agent's harmless: one short line that cannot look like markup. */
export function inline(text: string, longest: number): string {
  return shortened(oneLine(text), longest).replaceAll("\n", " ").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The beginning and the end of a text that is too long. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
