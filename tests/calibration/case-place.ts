import { type CalibrationCase, chooseCases, ownCases } from "../../src/commands/calibrate/cases.ts";
import { runChild } from "../../src/os/child.ts";
import { diskFiles, makeScratch } from "../../src/os/files.ts";
import type { World } from "../../src/world.ts";
import { fakeWorld } from "../unit/fakes.ts";

/** ccc's own cases. */
export const CASES: readonly CalibrationCase[] = chooseCases([], ownCases(), {
  files: diskFiles(process.pid),
  cwd: "/",
}).cases;

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
