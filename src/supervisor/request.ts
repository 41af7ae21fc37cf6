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
  return texts.length === 0 ? none : texts.map((text, index) => `${index + 1}. ${text.trim()}`).join("\n\n");
}

function describeTask({ type, description, command }: BackgroundTask): string {
  return `- ${[type, description, command && `\`${command}\``].filter(Boolean).join(": ")}`;
}
