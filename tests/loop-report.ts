import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { type Report, ReportSchema } from "../src/supervisor/loop/ending.ts";
import type { Place } from "./harness.ts";

/** The report of the only loop that ran in a place. */
export async function readReport(place: Place): Promise<Report> {
  const folder = join(place.project, ".claude/ccc");
  const name = (await readdir(folder)).find((each) => each.endsWith("-report.json")) ?? "none";
  return v.parse(ReportSchema, JSON.parse(await readFile(join(folder, name), "utf8")));
}
