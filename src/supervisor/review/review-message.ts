import type { BackgroundTask } from "../../claude/stop-event.ts";
import PREAMBLE from "./preamble.md" with { type: "text" };

/** What the reviewer gets in addition to the conversation. */
export interface ReviewRequest {
  readonly instructions: string;
  /** Every prompt of the user, in order. */
  readonly prompts: readonly string[];
  readonly round: number;
  readonly limit: number;
  /** Feedback of the earlier reviews of this prompt. */
  readonly earlier: readonly string[];
  readonly tasks: readonly BackgroundTask[];
  /** The agent's current folder, if not the one its session started in. */
  readonly cwd: string | undefined;
  /** What ccc itself noticed. */
  readonly findings: readonly string[];
}

/**
 * The message that asks for a review. Its sections are marked with a random code, so that no text of the agent's can pass
 * for one of them.
 */
export function reviewMessage(request: ReviewRequest, code: string = newCode()): string {
  const section = (title: string, text: string) =>
    `<section-${code} title="${title}">\n${text.trim()}\n</section-${code}>`;
  return [
    PREAMBLE.trim().replaceAll("CODE", code),
    section("Your instructions", request.instructions),
    section(
      "The user's original request",
      listed(request.prompts, "(not in the transcript yet: see the conversation)"),
    ),
    section("This review", `Round ${request.round} of at most ${request.limit} for the user's last prompt.`),
    request.findings.length > 0 &&
      section("What ccc noticed", request.findings.map((finding) => `- ${data(finding)}`).join("\n")),
    request.cwd !== undefined &&
      section("Data: where the agent works now", `${data(request.cwd)}, which is not where you are: look there.`),
    request.earlier.length > 0 && section("What earlier reviews of this prompt asked for", listed(request.earlier, "")),
    request.tasks.length > 0 &&
      section("Data: still running in the background", request.tasks.slice(0, MOST_TASKS).map(describeTask).join("\n")),
    "Now look for yourself, then answer with the structured output: completed (boolean) and feedback (string).",
  ]
    .filter((part) => part !== false)
    .join("\n\n");
}

function newCode(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** The reviewer has the whole conversation already; longer lists would crowd it out. */
const LONGEST_LIST = 100_000;
const MOST_LISTED = 100;
/** In a long list, the first texts give the topic and the last ones the current request. */
const FIRST_LISTED = 10;

function listed(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const numbered = texts.map((text, index) => ({ number: index + 1, text: text.trim() }));
  const left = Math.max(0, texts.length - MOST_LISTED);
  const kept = left === 0 ? numbered : [...numbered.slice(0, FIRST_LISTED), ...numbered.slice(FIRST_LISTED + left)];
  const each = Math.floor(LONGEST_LIST / kept.length);
  const lines = kept.map(({ number, text }) => `${number}. ${shortened(text, each)}`);
  if (left > 0) lines.splice(FIRST_LISTED, 0, `[… ${left} more are left out here …]`);
  return lines.join("\n\n");
}

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

const MOST_TASKS = 20;

function describeTask({ type, description, command }: BackgroundTask): string {
  return `- ${[type, description, command && `\`${command}\``].filter(Boolean).map(data).join(": ")}`;
}

const LONGEST_DATA = 500;

/** Makes text of the agent's harmless: one short line that cannot look like markup. */
function data(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return shortened(line, LONGEST_DATA).replaceAll("\n", " ").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
