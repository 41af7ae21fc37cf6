import { cccPaths } from "../../config/ccc-paths.ts";
import { CccError, EXIT } from "../../errors.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { writePage } from "../report/write-page.ts";
import { calibrationPage } from "./output/calibration-page.ts";
import { renderCalibration } from "./output/render-calibration.ts";
import { renderComparison } from "./output/render-comparison.ts";
import { readRuns } from "./results/calibration-files.ts";
import { type CalibrationReport, calibrationReport } from "./results/calibration-report.ts";
import { type CalibrationRun, openReviews } from "./results/calibration-run.ts";

export interface RunOutput {
  readonly json: boolean;
  /** The path of the page to write. */
  readonly html: string | undefined;
}

/** Shows a run; `earlier` are those before it, the last one first. */
export function showRun(
  world: World,
  run: CalibrationRun,
  earlier: readonly CalibrationRun[],
  output: RunOutput,
): CalibrationReport {
  const report = calibrationReport(run, earlier);
  // First of all: if the page cannot be written, the results are not lost.
  world.stdout(output.json ? prettyJson(report) : renderCalibration(report, outputWidth(world)));
  if (output.html !== undefined) {
    writePage(world, output.html, calibrationPage(report, world.version));
    createLog(world).info(`wrote ${output.html}`);
  }
  return report;
}

/** `--last`: the last run that has a review, and how it compares with the one before. */
export function showLastRun(world: World, output: RunOutput): number {
  const runs = readRuns(world.files, cccPaths(world)).filter(({ reviews }) => reviews.length > 0);
  const [last, ...earlier] = runs;
  if (last === undefined) throw new CccError("no run is on record", { advice: "Start one: ccc calibrate" });
  const report = showRun(world, last, earlier, output);
  if (!output.json) world.stdout(`\n${renderComparison(report, outputWidth(world))}`);
  if (openReviews(last).length > 0)
    createLog(world).info("this run is not finished. Go on with: ccc calibrate --resume");
  return EXIT.ok;
}
