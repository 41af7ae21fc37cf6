import { join } from "node:path";
import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { CccError, usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import { knownSecrets } from "../../supervisor/known-secrets.ts";
import { readSession } from "../../supervisor/record/read-session.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { createRedactor } from "../../text/redactor.ts";
import { outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG } from "../shared-arguments.ts";
import { openFile } from "./open-file.ts";
import { reportPage } from "./page/report-page.ts";
import { findRecordedSession } from "./recorded-session.ts";
import type { SessionReport } from "./report-schema.ts";
import { reportText } from "./report-text.ts";
import { sessionReport } from "./session-report.ts";
import { pagePath, writePage } from "./write-page.ts";

const DESCRIPTION = `Show what happened in a supervised session: how it ended, each review with its verdict, the criteria, checks,
changed files, time and tokens. It works while the session runs, asks no model, and masks known keys.

Exit codes
  0    shown
  1    no such session, or the page could not be written or opened
  2    usage error

JSON
  explained in ${docsPage("report.md")}`;

export function reportCommand(world: World) {
  return defineCommand({
    meta: { name: "report", description: DESCRIPTION },
    args: {
      html: { type: "string", valueHint: "FILE", description: "write one self-contained page instead" },
      open: {
        type: "boolean",
        default: false,
        description: "open the page in the browser; without --html it is a private temporary file",
      },
      json: JSON_FLAG,
      session: {
        type: "positional",
        required: false,
        description: "a session's id or its beginning (default: the last supervised one in this folder)",
      },
    },
    run: async ({ args }) => {
      if (args.json && (args.html !== undefined || args.open))
        throw usageError(`--json cannot be combined with ${args.open ? "--open" : "--html"}`);
      if (args.html === "") throw usageError("--html needs the name of a file");
      const report = loadReport(world, args.session);
      if (args.json) world.stdout(prettyJson(report));
      else if (args.html === undefined && !args.open) {
        world.stdout(`${reportText(report, outputWidth(world))}\n`);
        if (world.isTerminal(1)) createLog(world).info("to see it in the browser, add --open");
      } else {
        const path = makePage(world, report, args.html);
        createLog(world).info(`wrote ${path}`);
        if (args.open) await openFile(world, path);
      }
    },
  });
}

/** The record is masked once more: it may be older than a key, and prompts are recorded as they were typed. */
function loadReport(world: World, wanted: string | undefined): SessionReport {
  const paths = cccPaths(world);
  const session = readSession(world, paths, findRecordedSession(world.files, paths, world.cwd, wanted));
  if (session === undefined) throw new CccError("the record of this session cannot be read");
  return createRedactor(knownSecrets(world, [])).value(sessionReport(session));
}

function makePage(world: World, report: SessionReport, file: string | undefined): string {
  const name = `report-${report.session}.html`;
  const path = file === undefined ? join(world.scratch().path, name) : pagePath(world, file, "report.html");
  writePage(world, path, reportPage(report, world.version));
  return path;
}
