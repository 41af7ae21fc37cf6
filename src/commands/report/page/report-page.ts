import { shownTime } from "../../../text/duration.ts";
import { Html, html } from "../../../text/html.ts";
import type { SessionReport } from "../report-schema.ts";
import { headline } from "../report-words.ts";
import { data } from "./page-data.ts";
import { pageHeader } from "./page-header.ts";
import { promptSection } from "./page-prompt.ts";
import { usageSection } from "./page-usage.ts";
import STYLE from "./report.css" with { type: "text" };

/**
 * The report as one page without scripts, links or anything to load. Its policy forbids them too, should a text from
 * elsewhere ever get past the escaping.
 */
export function reportPage(report: SessionReport, version: string): string {
  const several = report.prompts.length > 1;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${headline(report)} – ccc report</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${pageHeader(report)}
${report.prompts.map((prompt, index) => promptSection(prompt, { number: index + 1, several }))}
${usageSection(report)}
</main>
<footer>
<p>Session <code>${data(report.session)}</code>${report.folder === null ? "" : html` in <code>${data(report.folder)}</code>`}${
    report.ended_at === null ? "" : html`, last recorded ${shownTime(Date.parse(report.ended_at) / 1000)}`
  }. Made by <code>ccc report</code> ${version}. Known keys are masked as ***.</p>
</footer>
</body>
</html>
`;
  return page.text;
}
