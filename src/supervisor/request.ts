import type { BackgroundTask } from "../claude/stop-event.ts";

/** All that a reviewer is told beside the conversation itself. */
export interface ReviewRequest {
  readonly instructions: string;
  /** Everything that the user asked for, in order. */
  readonly prompts: readonly string[];
  readonly round: number;
  readonly limit: number;
  /** What the earlier reviews of this prompt asked for. */
  readonly earlier: readonly string[];
  readonly tasks: readonly BackgroundTask[];
  /** Where the agent works now, if not where its session began. */
  readonly cwd: string | undefined;
}

/** The message that asks for a review. It repeats the instructions, because Claude Code may drop the system prompt. */
export function reviewMessage(request: ReviewRequest): string {
  return [
    "The conversation above ends here for you: it is the work of the agent that you review. You are its supervisor now.",
    section("Your instructions", request.instructions),
    section(
      "The user's original request",
      listed(request.prompts, "(not in the transcript yet: see the conversation)"),
    ),
    section("This review", `Round ${request.round} of at most ${request.limit} for the user's last prompt.`),
    request.cwd !== undefined &&
      section("Where the agent works now", `${request.cwd}, which is not where you are: look there.`),
    request.earlier.length > 0 && section("What earlier reviews of this prompt asked for", listed(request.earlier, "")),
    request.tasks.length > 0 && section("Still running in the background", request.tasks.map(describeTask).join("\n")),
    "Now look for yourself, then answer with the structured output: completed (boolean) and feedback (string).",
  ]
    .filter((part) => part !== false)
    .join("\n\n");
}

function section(title: string, text: string): string {
  return `<section title="${title}">\n${text.trim()}\n</section>`;
}

function listed(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const each = Math.max(SHORTEST_SHARE, Math.floor(LONGEST_LIST / texts.length));
  return texts.map((text, index) => `${index + 1}. ${shortened(text.trim(), each)}`).join("\n\n");
}

/** The reviewer has the whole conversation; a list of texts that are longer than this only crowds it out. */
const LONGEST_LIST = 100_000;
const SHORTEST_SHARE = 1_000;

function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function describeTask({ type, description, command }: BackgroundTask): string {
  return `- ${[type, description, command && `\`${command}\``].filter(Boolean).join(": ")}`;
}
