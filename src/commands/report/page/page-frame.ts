import { Html, html } from "../../../text/html.ts";
import STYLE from "./report.css" with { type: "text" };

/**
 * One page without scripts, links or anything to load. Its policy forbids them too, should a text from elsewhere ever get
 * past the escaping.
 */
export function pageFrame(page: { readonly title: string; readonly main: Html; readonly footer: Html }): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${page.main}
</main>
<footer>
<p>${page.footer}</p>
</footer>
</body>
</html>
`;
  return text;
}
