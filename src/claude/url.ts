/** Whether a text can be a base URL. Passes ${NAME}, which is only known at launch, where the check is repeated. */
export function isUrl(text: string): boolean {
  if (text === "" || text.includes("${")) return true;
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}
