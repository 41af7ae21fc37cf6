import type { ApiFailureKind } from "../../claude/api-failure.ts";
import { hasWritten } from "../../claude/session-steps.ts";
import type { Usage } from "../../claude/token-usage.ts";
import { usageMeter } from "../../claude/usage-meter.ts";
import type { Changes } from "../baseline/changes.ts";
import type { CheckResult } from "../checks/describe-checks.ts";
import { disputesIn } from "../ledger/disputes.ts";
import type { Ledger, OpenLedger } from "../ledger/ledger.ts";
import { ruleOn } from "../ledger/rule-on.ts";
import type { Round } from "../record/state.ts";
import { askReviewers } from "./ask-reviewers.ts";
import { shownInstructions } from "./instructions.ts";
import { keepOutput } from "./keep-output.ts";
import { missingFrom } from "./missing-evidence.ts";
import { reviewMessage } from "./review-message.ts";
import type { ReviewProgress } from "./review-progress.ts";
import type { Session, Stop } from "./supervised-stop.ts";
import { cleanVerdict, type Verdict } from "./verdict.ts";

/** What is known when the reviewers are asked. */
export interface ReviewSubject {
  readonly round: Round;
  readonly checks: readonly CheckResult[];
  readonly changes: Changes;
  readonly ledger: OpenLedger;
  readonly progress: ReviewProgress;
}

export type AskedVerdict = (
  | { readonly verdict: Verdict; readonly ledger: Ledger; readonly instead: string | undefined }
  | { readonly failure: string; readonly cause: ApiFailureKind | undefined }
) & {
  readonly reviewer: string;
  readonly usage: Usage;
  /** What the reviewer opened and ran. */
  readonly looked: readonly string[];
};

/** Asks the reviewers for a verdict that rests on something, and rules on the criteria by it. */
export async function askForVerdict(session: Session, stop: Stop, subject: ReviewSubject): Promise<AskedVerdict> {
  const { world, log, options, project } = session;
  const { round, checks, changes, ledger, progress } = subject;
  const clean = session.redactor.known;
  const hasChanged = await hasChangedFiles(changes, stop);
  const disputes = disputesIn(await stop.lastMessage(), ledger.criteria);
  const rule = ({ rulings }: Verdict) =>
    ruleOn(ledger, rulings, {
      disputed: disputes.map(({ id }) => id),
      files: "tree" in changes ? changes.tree : null,
    });
  const keep = keepOutput(session);
  const meter = usageMeter();
  const request = {
    instructions: shownInstructions(session.instructions),
    prompts: stop.asked.prompts,
    round: round.number,
    limit: session.isOnDemand === true ? undefined : options.maxIterations,
    earlier: round.earlier,
    tasks: stop.tasks,
    cwd: stop.cwd === project ? undefined : stop.cwd,
    findings: stop.findings,
    ...{ checks, changes, ledger, disputes },
  };
  const result = await askReviewers(session.reviewers, (reviewer) => ({
    reviewer: reviewer.name,
    way: reviewer.way,
    canBeFresh: stop.evidence !== undefined,
    child: async (way, lacking) => {
      session.note({ way });
      progress.begin();
      const evidence = way === "fresh" ? await stop.evidence?.() : undefined;
      const stdin = clean(reviewMessage({ ...request, evidence, lacking }, way));
      return { program: await reviewer.program(way, stop.cwd), cwd: project, stdin };
    },
    missing: (verdict, looks) =>
      missingFrom(verdict, { criteria: rule(verdict).criteria, looks, changes, hasChanged, checks, disputes }),
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: (request) => world.run(request).finally(meter.endRun),
    clock: () => world.now().getTime(),
    clean: session.redactor.text,
    onText: (text) => world.stderr(`${session.redactor.text(text)}\n`),
    onLine: keep.line,
    onEvent: (event) => {
      meter.read(event);
      progress.read(event);
    },
    onTrouble: session.onTrouble,
    onNoise: log.say,
  })).finally(keep.close);
  const about = {
    reviewer: result.reviewer,
    usage: meter.total(),
    looked: result.looks.map(({ name, what }) => clean(`${name}: ${what}`)),
  };
  if ("failure" in result) return { failure: result.failure, cause: result.cause, ...about };
  // The agent works with it: mask known keys only, not what merely looks like a secret.
  const verdict = cleanVerdict(result.verdict, clean);
  return { verdict, ledger: rule(verdict), instead: result.instead, ...about };
}

/** Whether the agent changed files, as far as that is known: from the baseline, or from its tools, for files outside. */
async function hasChangedFiles(changes: Changes, { evidence }: Stop): Promise<boolean> {
  if ("files" in changes && changes.files.length + (changes.unseen?.files.length ?? 0) > 0) return true;
  return hasWritten((await evidence?.())?.steps ?? []);
}
