import { shownTime } from "../../../text/duration.ts";
import { html } from "../../../text/html.ts";
import type { SessionReport } from "../report-schema.ts";
import { headline } from "../report-words.ts";
import { data } from "./page-data.ts";
import { pageFrame } from "./page-frame.ts";
import { pageHeader } from "./page-header.ts";
import { promptSection } from "./page-prompt.ts";
import { usageSection } from "./page-usage.ts";

/** The report as one page. */
export function reportPage(report: SessionReport, version: string): string {
  const several = report.prompts.length > 1;
  return pageFrame({
    title: `${headline(report)} – ccc report`,
    main: html`${pageHeader(report)}
${report.prompts.map((prompt, index) => promptSection(prompt, { number: index + 1, several }))}
${usageSection(report)}`,
    footer: html`Session <code>${data(report.session)}</code>${report.folder === null ? "" : html` in <code>${data(report.folder)}</code>`}${
      report.ended_at === null ? "" : html`, last recorded ${shownTime(Date.parse(report.ended_at) / 1000)}`
    }. Made by <code>ccc report</code> ${version}. Known keys are masked as ***.`,
  });
}
