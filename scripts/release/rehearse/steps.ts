import { buildTwice, tagStep, verifyStep } from "./build-steps.ts";
import { arm64Step, elsewhereSteps, windowsStep } from "./emulated-steps.ts";
import { brewStep, formulaStep } from "./formula-steps.ts";
import { installStep, upgradeStep } from "./install-steps.ts";
import type { Step } from "./step.ts";

/** All of a rehearsal, in order. */
export const STEPS: readonly Step[] = [
  tagStep,
  buildTwice,
  verifyStep,
  formulaStep,
  brewStep,
  installStep("glibc"),
  upgradeStep("glibc"),
  installStep("musl"),
  upgradeStep("musl"),
  arm64Step,
  windowsStep,
  ...elsewhereSteps,
];
