/**
 * Whether a prompt of Claude Code's own reports that a background task did not end well. The description of a task is the
 * agent's text, but comes after the status.
 */
export function reportsFailure(prompt: string): boolean {
  return prompt
    .split("<task-notification>")
    .slice(1)
    .some((notification) => /<status>([^<]*)<\/status>/.exec(notification)?.[1] !== "completed");
}
