import { join } from "node:path";
import * as v from "valibot";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { attempt } from "../attempt.ts";
import { projectFiles, stateFolder } from "../project-folder.ts";

/** Writes the report into the project, and the job summary on GitHub. A failure is only a warning. */
export function leaveReport(whole: Report, redactor: Redactor, world: World): void {
  const report = redactor.value(whole);
  const folder = stateFolder(world.cwd);
  const path = join(folder, `supervisor-${report.session_id ?? "none"}-report.json`);
  const warn = (message: string) => createLog(world).warn(message);
  attempt(warn, "write the report", () =>
    projectFiles(world.files, world.cwd, folder).replace(path, prettyJson(report)),
  );
  const { GITHUB_STEP_SUMMARY: summary } = world.env;
  if (!summary) return;
  attempt(warn, "write the GitHub job summary", () =>
    world.files.append(summary, reportSummary(report), Number.POSITIVE_INFINITY),
  );
}

/** The report of a loop run: `supervisor-<session>-report.json`. */
export const ReportSchema = v.object({
  session_id: v.nullable(v.string()),
  provider: v.string(),
  reviewer: v.string(),
  outcome: v.picklist(["done", "not done", "not reviewed", "failed", "interrupted"]),
  /** Why it is not done; empty for "done" and "interrupted". */
  reason: v.string(),
  exit_code: v.number(),
  started_at: v.string(),
  ended_at: v.string(),
  prompts: v.array(v.string()),
  rounds: v.array(
    v.object({
      verdict: v.picklist(["done", "not done", "not reviewed"]),
      feedback: v.string(),
      seconds: v.number(),
      cost_usd: v.number(),
    }),
  ),
  /** Claude Code's own figures; a phase is one run of the agent until it stops. */
  agent: v.object({ phases: v.number(), cost_usd: v.number(), input_tokens: v.number(), output_tokens: v.number() }),
  answer: v.string(),
});

export type Report = v.InferOutput<typeof ReportSchema>;

/** The report in Markdown. */
export function reportSummary(report: Report): string {
  const { agent } = report;
  const rounds = report.rounds.map(
    ({ verdict, feedback, seconds }, index) => `| ${index + 1} | ${verdict} | ${seconds} s | ${cell(feedback)} |`,
  );
  return [
    `## ccc: ${report.outcome}`,
    report.reason,
    `Provider ${report.provider}, reviewed by ${report.reviewer}. ${figures(agent)}`,
    rounds.length === 0
      ? ""
      : ["| round | verdict | time | feedback |", "| ---: | --- | ---: | --- |", ...rounds].join("\n"),
    report.answer === "" ? "" : `<details><summary>The agent's last answer</summary>\n\n${report.answer}\n\n</details>`,
  ]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

export function figures({ phases, cost_usd, input_tokens, output_tokens }: Report["agent"]): string {
  const runs = phases === 1 ? "1 agent run" : `${phases} agent runs`;
  return `${runs}, $${cost_usd.toFixed(4)}, ${input_tokens} tokens in, ${output_tokens} out.`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
