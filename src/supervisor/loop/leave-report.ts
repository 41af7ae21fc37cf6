import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { projectFiles, stateFolder } from "../project-folder.ts";
import { type Report, reportSummary } from "./report.ts";

/** Writes the report into the project, and the job summary on GitHub. A failure is only a warning. */
export function leaveReport(whole: Report, redactor: Redactor, world: World): void {
  const report = redactor.value(whole);
  const folder = stateFolder(world.cwd);
  const path = join(folder, `supervisor-${report.session_id ?? "none"}-report.json`);
  attempt(world, "the report", () => projectFiles(world.files, world.cwd, folder).replace(path, prettyJson(report)));
  const { GITHUB_STEP_SUMMARY: summary } = world.env;
  if (summary) {
    attempt(world, "the GitHub job summary", () =>
      world.files.append(summary, reportSummary(report), Number.POSITIVE_INFINITY),
    );
  }
}

function attempt(world: World, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    createLog(world).warn(`could not write ${what}: ${messageOf(error)}`);
  }
}
