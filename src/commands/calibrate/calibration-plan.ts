import type { ReviewContext } from "../../config/defaults.ts";
import { type ReviewerName, readReviewerName, reviewerLabel } from "../../config/reviewer-name.ts";
import { usageError } from "../../errors.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { shownInstructions } from "../../supervisor/review/instructions.ts";
import type { CalibrationCase } from "./cases/calibration-case.ts";
import type { CalibrationPlan } from "./results/calibration-run.ts";

/** Who is to be calibrated: `--provider` and `--model`, else who reviews in this folder. */
export function plannedNames(
  providers: readonly string[],
  model: string | undefined,
  usual: ReviewerName,
): readonly ReviewerName[] {
  if (model?.trim() === "") throw usageError("--model takes the name of a model");
  const named = providers.map(readReviewerName);
  if (model !== undefined && (named.length > 1 || named[0]?.model !== undefined)) {
    throw usageError(
      "--model is the model of one provider",
      "Name each with its provider: ccc calibrate --provider glm:MODEL --provider kimi:MODEL",
    );
  }
  // The model in ccc.json is one of the usual reviewer's.
  const all = (named.length === 0 ? [usual] : named).map((each) => ({
    provider: each.provider,
    model: model ?? each.model ?? (each.provider === usual.provider ? usual.model : undefined),
  }));
  return [...new Map(all.map((each) => [reviewerLabel(each), each])).values()];
}

/** The plan of a new run. */
export function newPlan(run: {
  readonly at: Date;
  readonly cccVersion: string;
  readonly claudeVersion: string | null;
  readonly reviewers: readonly string[];
  readonly context: ReviewContext;
  readonly instructions: Instructions;
  readonly folder: string | null;
  readonly cases: readonly CalibrationCase[];
  readonly leftOut: Readonly<CalibrationPlan["left_out"]>;
  readonly repeat: number;
}): CalibrationPlan {
  return {
    version: 1,
    started_at: run.at.toISOString(),
    ccc_version: run.cccVersion,
    claude_version: run.claudeVersion,
    reviewers: [...run.reviewers],
    context: run.context,
    instructions: { path: run.instructions.path, hash: instructionsHash(run.instructions) },
    folder: run.folder,
    cases: run.cases.map((each) => {
      const { id, kind, truth, why } = each;
      return { id, hash: shortHash(JSON.stringify(each)), kind, truth, why };
    }),
    left_out: [...run.leftOut],
    repeat: run.repeat,
  };
}

/** Of what a reviewer is told: checks in the front matter do not count. */
export function instructionsHash(instructions: Instructions): string {
  return shortHash(shownInstructions(instructions));
}

function shortHash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
}

/** The value of an option that takes a whole number. */
export function wholeNumber(name: string, value: string | undefined, preset: number, most: number): number {
  const number = Number(value ?? preset);
  if (Number.isInteger(number) && number >= 1 && number <= most && value?.trim() !== "") return number;
  throw usageError(`${name} takes a whole number from 1 to ${most}`);
}
