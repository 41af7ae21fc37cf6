import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CalibrationCase, readPair } from "../../src/commands/calibrate/cases.ts";
import { EMBEDDED_CASES } from "../../src/commands/calibrate/embedded-cases.ts";
import { runChild } from "../../src/os/child.ts";
import { diskFiles, makeScratch } from "../../src/os/disk.ts";
import type { Env, World } from "../../src/world.ts";
import { fakeWorld } from "../unit/fakes.ts";

/** ccc's own cases. */
export const CASES: readonly CalibrationCase[] = Object.entries(EMBEDDED_CASES).flatMap(([name, files]) =>
  readPair(name, files),
);

/** The real machine, with nothing of the caller's environment but the programs. */
export function caseWorld(): World {
  const { world } = fakeWorld({
    files: diskFiles(process.pid),
    run: runChild,
    scratch: makeScratch,
    now: () => new Date(),
    env: { PATH: process.env.PATH, LANG: "C.UTF-8" },
    platform: process.platform,
  });
  return world;
}

/** A temporary folder for a case, and what is needed to run its commands there. */
export function casePlace() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "ccc-case-")));
  const env: Env = { PATH: process.env.PATH, HOME: scratch, LANG: "C.UTF-8" };
  return {
    world: { files: diskFiles(process.pid), run: runChild, platform: process.platform },
    scratch,
    env,
    project: join(scratch, "project"),
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}
