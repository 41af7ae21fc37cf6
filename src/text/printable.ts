/**
 * Text of an agent, a reviewer or a file, for the screen: without codes that move the cursor, change colours or titles, or
 * reorder what is shown.
 */
export function printable(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
