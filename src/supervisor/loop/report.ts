import { join } from "node:path";
import * as v from "valibot";
import { readReviewerName } from "../../config/reviewer-name.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { bestEffort } from "../best-effort.ts";
import { projectFiles, stateFolder } from "../project-folder.ts";
import { UsageLimitSchema } from "../record/loop-end.ts";
import { UsageFieldsSchema } from "../record/usage-fields.ts";
import { figures, tokens } from "./figures.ts";

/** Writes the report into the project, and the job summary on GitHub. A failure is only a warning. */
export function leaveReport(whole: Report, redactor: Redactor, world: World): void {
  const report = redactor.value(whole);
  const folder = stateFolder(world.cwd);
  const path = join(folder, `supervisor-${report.session_id ?? "none"}-report.json`);
  const warn = (message: string) => createLog(world).warn(message);
  bestEffort(warn, "write the report", () =>
    projectFiles(world.files, world.cwd, folder).replace(path, prettyJson(report)),
  );
  const { GITHUB_STEP_SUMMARY: summary } = world.env;
  if (!summary) return;
  bestEffort(warn, "write the GitHub job summary", () =>
    world.files.append(summary, reportSummary(report), Number.POSITIVE_INFINITY),
  );
}

/** The report of a loop run: `supervisor-<session>-report.json`. */
export const ReportSchema = v.object({
  session_id: v.nullable(v.string()),
  provider: v.string(),
  reviewer: v.string(),
  outcome: v.picklist(["done", "not done", "over budget", "needs you", "not reviewed", "failed", "interrupted"]),
  /** Why it is not done; empty for "done". */
  reason: v.string(),
  usage_limit: v.optional(UsageLimitSchema, null),
  /** Of this outcome. ccc ends with claude's own if the session was handed over and the user went on in it. */
  exit_code: v.number(),
  /** Whether the user got the session at the end. */
  handed_over: v.optional(v.boolean(), false),
  started_at: v.string(),
  ended_at: v.string(),
  prompts: v.array(v.string()),
  rounds: v.array(
    v.object({
      verdict: v.picklist(["done", "not done", "check failed", "needs you", "not reviewed"]),
      feedback: v.string(),
      seconds: v.number(),
      /** Who reviewed; missing where nobody did, and in the reports of older versions. */
      reviewer: v.optional(v.string()),
      ...UsageFieldsSchema.entries,
    }),
  ),
  /** A phase is one run of the agent until it stops. */
  agent: v.object({ phases: v.number(), seconds: v.optional(v.number(), 0), ...UsageFieldsSchema.entries }),
  /** All rounds together, and a review that was interrupted. */
  reviews: v.object({ count: v.number(), seconds: v.optional(v.number(), 0), ...UsageFieldsSchema.entries }),
  /** For limits of the agent's provider. */
  waited_seconds: v.optional(v.number(), 0),
  answer: v.string(),
});

export type Report = v.InferOutput<typeof ReportSchema>;

/** The report in Markdown. */
export function reportSummary(report: Report): string {
  const rounds = report.rounds.map((round, index) => {
    const { verdict, feedback, seconds, reviewer = report.reviewer } = round;
    const by = readReviewerName(reviewer).provider === report.reviewer ? "" : ` (${reviewer})`;
    return `| ${index + 1} | ${verdict}${by} | ${seconds} s | ${tokens(round)} | ${cell(feedback)} |`;
  });
  return [
    `## ccc: ${report.outcome}`,
    report.reason,
    `Provider ${report.provider}, reviewed by ${report.reviewer}. ${figures(report)}`,
    rounds.length === 0
      ? ""
      : ["| round | verdict | time | usage | feedback |", "| ---: | --- | ---: | --- | --- |", ...rounds].join("\n"),
    report.answer === "" ? "" : `<details><summary>The agent's last answer</summary>\n\n${report.answer}\n\n</details>`,
  ]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
