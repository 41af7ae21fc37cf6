import { shownName } from "../../../text/file-names.ts";
import { type Html, html } from "../../../text/html.ts";
import { clipped, shownText } from "../../../text/shown-text.ts";

/** A short text from elsewhere, on one line. Its direction does not change that of the text around it. */
export function data(text: string): Html {
  return html`<bdi>${shownName(clipped(text, LONGEST_LINE))}</bdi>`;
}

/** Prose from elsewhere. Lines stay as they are; most of a long one is opened on demand. */
export function prose(text: string): Html {
  const whole = text.trim();
  if (whole.length <= LONG_PROSE) return paragraph(whole);
  return html`${paragraph(`${whole.slice(0, LONG_PROSE).trimEnd()} …`)}${folded("Show all of it", paragraph(clipped(whole, LONGEST_PROSE)))}`;
}

function paragraph(text: string): Html {
  return html`<div class="prose" dir="auto">${shownText(text)}</div>`;
}

/** Output of a program. */
export function output(text: string): Html {
  return html`<pre dir="auto" tabindex="0">${shownText(clipped(text, LONGEST_PROSE))}</pre>`;
}

/** Something that is opened on demand. */
export function folded(summary: Html | string, content: Html, isOpen = false): Html {
  return html`<details${isOpen ? html` open` : ""}><summary>${summary}</summary>${content}</details>`;
}

const LONGEST_LINE = 500;
const LONG_PROSE = 1_200;
const LONGEST_PROSE = 20_000;
