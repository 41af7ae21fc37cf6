/** Whether a text can be a base URL. A reference like ${NAME} is only known at launch: the check is repeated there. */
export function isUrl(text: string): boolean {
  if (text === "" || text.includes("${")) return true;
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}
