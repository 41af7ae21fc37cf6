import type { ApiFailureKind } from "../../claude/failures.ts";
import type { ReviewWay } from "../../claude/runs.ts";
import { addUsage, type StreamEvent, type Usage, usageMeter } from "../../claude/stream.ts";
import { hasWritten } from "../../claude/transcript.ts";
import type { Scratch } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import type { Changes } from "../changes/changes.ts";
import { mayRunTests } from "../guard/programs.ts";
import { disputesIn, type Ledger, type OpenLedger, ruleOn } from "../ledger.ts";
import type { Confirmation } from "../outcome.ts";
import { bestEffort } from "../project.ts";
import type { Proof } from "../proof/proof.ts";
import type { Round } from "../record/state.ts";
import type { CheckResult } from "../record/stops.ts";
import { missingFrom } from "./evidence.ts";
import { shownInstructions } from "./instructions.ts";
import { questionMessage, reviewMessage, wholePrompts } from "./message.ts";
import { askReviewers, keepOutput } from "./reviewer.ts";
import type { Stop } from "./stop.ts";
import { cleanVerdict, type Verdict } from "./verdict.ts";

/** What is known when the reviewers are asked. */
interface ReviewSubject {
  readonly round: Round;
  readonly checks: readonly CheckResult[];
  readonly proof: Proof;
  readonly changes: Changes;
  readonly ledger: OpenLedger;
  readonly progress: ReviewProgress;
}

/** Gets the steps of a review. */
export interface ReviewProgress {
  readonly begin: () => void;
  readonly check: (command: string) => void;
  /** From now on a "done" is confirmed. */
  readonly confirm: () => void;
  /** The reviewer is asked for what its answer lacks. */
  readonly ask: (what: string) => void;
  readonly read: (event: StreamEvent) => void;
}

type Opinion = (GivenVerdict | NoVerdict) & {
  readonly reviewer: string;
  /** Why earlier reviewers could not review. */
  readonly instead: string | undefined;
  /** How the reviewer was asked last. */
  readonly way: ReviewWay;
  readonly usage: Usage;
  /** What the reviewer opened and ran. */
  readonly looked: readonly string[];
  /** The fresh review of its "done". */
  readonly confirmation?: Confirmation;
};

interface GivenVerdict {
  readonly verdict: Verdict;
  /** The criteria as the verdict rules on them, and as a second review gets them. */
  readonly ledger: Ledger;
  readonly again: OpenLedger;
}

interface NoVerdict {
  readonly failure: string;
  readonly cause: ApiFailureKind | undefined;
}

/** Asks the reviewers for a verdict with evidence, and rules on the criteria by it. */
export async function askForVerdict(stop: Stop, subject: ReviewSubject): Promise<Opinion> {
  const questions: string[] = [];
  return ask(stop, stop.reviewers, subject, {
    onWay: (way) => stop.note({ way }),
    onQuestion: (why) => {
      questions.push(why);
      stop.note({ questions });
    },
  });
}

/**
 * Whether a verdict counts only once a fresh review confirms it. A judge in the author's own conversation is lenient, so its
 * "done" needs that. A fresh reviewer's does not.
 */
export function needsConfirmation({ confirmers }: Stop, opinion: Opinion): boolean {
  const isDone = "verdict" in opinion && opinion.verdict.completed && !opinion.verdict.needsUser;
  return isDone && opinion.way !== "fresh" && confirmers !== undefined;
}

/** Has a "done" confirmed. The second verdict counts: it rules on the same criteria, and knows the first one's evidence. */
export async function confirmVerdict(stop: Stop, subject: ReviewSubject, first: Opinion): Promise<Opinion> {
  const { world, confirmers } = stop;
  if (confirmers === undefined || !("verdict" in first)) return first;
  const startedAt = world.now().getTime();
  const questions: string[] = [];
  subject.progress.confirm();
  const second = await ask(
    stop,
    confirmers,
    { ...subject, ledger: first.again },
    { onWay: () => {}, onQuestion: (why) => void questions.push(why) },
  );
  const { reviewer, instead, looked, usage } = second;
  const seconds = Math.ceil((world.now().getTime() - startedAt) / 100) / 10;
  const about = {
    ...first,
    usage: addUsage(first.usage, usage),
    confirmation: { reviewer, instead, looked, usage, seconds, questions, verdict: wordOf(second) },
  };
  if ("verdict" in second) return { ...about, verdict: second.verdict, ledger: second.ledger };
  const { verdict: _, ledger: __, again: ___, ...others } = about;
  return { ...others, failure: `${NOT_CONFIRMED}: ${second.failure}`, cause: second.cause };
}

const NOT_CONFIRMED =
  "a reviewer says that the work is done, but no fresh review could confirm it (supervisor.confirm)";

function wordOf(opinion: GivenVerdict | NoVerdict): Confirmation["verdict"] {
  if ("failure" in opinion) return "not reviewed";
  const { needsUser, completed } = opinion.verdict;
  return needsUser ? "needs you" : completed ? "done" : "not done";
}

interface OpinionListener {
  /** How a reviewer is asked now. */
  readonly onWay: (way: ReviewWay) => void;
  /** What its answer lacks, and it is asked for. */
  readonly onQuestion: (why: string) => void;
}

async function ask(
  stop: Stop,
  reviewers: Stop["reviewers"],
  subject: ReviewSubject,
  listener: OpinionListener,
): Promise<Opinion> {
  const { world, log, options, project } = stop;
  const { round, checks, proof, changes, ledger, progress } = subject;
  const clean = stop.redactor.known;
  const hasChanged = await hasChangedFiles(changes, stop);
  const disputes = disputesIn(await stop.lastMessage(), ledger.criteria);
  const rule = ({ rulings }: Verdict) =>
    ruleOn(ledger, rulings, {
      disputed: disputes.map(({ id }) => id),
      files: "tree" in changes ? changes.tree : null,
    });
  const keep = keepOutput(stop);
  const prompts = promptsForReviewer(stop);
  const meter = usageMeter();
  let [{ way: current }] = reviewers;
  const request = {
    instructions: shownInstructions(stop.launch.instructions),
    prompts: stop.asked.prompts,
    round: round.number,
    limit: stop.isOnDemand === true ? undefined : options.max_iterations,
    earlier: round.earlier,
    tasks: stop.tasks,
    cwd: stop.cwd === project ? undefined : stop.cwd,
    findings: stop.findings,
    checks,
    proof,
    changes,
    ledger,
    disputes,
  };
  const result = await askReviewers(reviewers, (reviewer) => ({
    reviewer: reviewer.name,
    way: reviewer.way,
    canBeFresh: stop.evidence !== undefined,
    open: async (way, lacking) => {
      current = way;
      listener.onWay(way);
      progress.begin();
      const evidence = way === "fresh" ? await stop.evidence?.() : undefined;
      const promptsFile = prompts.fileFor(way);
      const isInSchema = reviewer.isInSchema(way);
      const code = world.newId().slice(0, 8);
      const started = await reviewer.start(way, promptsFile);
      if ("failure" in started) return started;
      const { sandbox, ...child } = started;
      if (sandbox !== undefined) stop.note({ isSandboxed: true });
      return {
        ...child,
        isInSchema,
        code,
        message: clean(reviewMessage({ ...request, promptsFile, evidence, lacking, isInSchema, sandbox }, way, code)),
        question: (lacking) => clean(questionMessage(lacking, { isInSchema }, code)),
      };
    },
    missing: (verdict, looks) =>
      missingFrom(verdict, { ...rule(verdict), looks, changes, hasChanged, checks, disputes }),
    timeoutSeconds: options.timeout_seconds,
    marker: options.completion_marker,
    // The loop's own protocol; a hook reports an answer without a verdict.
    isInWords: stop.event === undefined && request.instructions.includes(options.completion_marker),
    run: (request) => world.run(request).finally(meter.endRun),
    clock: () => world.now().getTime(),
    clean: stop.redactor.text,
    onText: (text) => world.stderr(`${stop.redactor.text(text)}\n`),
    onLine: keep.line,
    onEvent: (event) => {
      if (runsTests(event)) bestEffort(log.say, "forget the last checks", () => stop.checks.memory?.remove());
      meter.read(event);
      progress.read(event);
    },
    onQuestion: ({ missing }) => {
      const why = missing.join("; ");
      listener.onQuestion(clean(why));
      log.say(`the reviewer's answer does not count yet: ${why}; asking for that`);
      progress.ask(why);
    },
    onTrouble: stop.onTrouble,
    onNoise: log.say,
  })).finally(() => {
    keep.close();
    prompts.remove();
  });
  const about = {
    reviewer: result.reviewer,
    instead: result.instead,
    way: current,
    usage: meter.total(),
    looked: result.looks.map(({ name, what }) => clean(`${name}: ${what}`)),
  };
  if ("failure" in result) return { failure: result.failure, cause: result.cause, ...about };
  // The agent works with it: mask known keys only, not what merely looks like a secret.
  const verdict = cleanVerdict(result.verdict, clean);
  const { ledger: ruled, again } = rule(verdict);
  return { verdict, ledger: ruled, again, ...about };
}

/** Tests that a reviewer runs may change what the checks depend on. */
function runsTests(event: StreamEvent): boolean {
  return event.kind === "text" && event.tools.some(({ name, what }) => name === "Bash" && mayRunTests(what));
}

/**
 * Whether the agent changed files: by the comparison with the baseline or, for files elsewhere, by its tools. Without a
 * comparison, any tool may have changed some.
 */
async function hasChangedFiles(changes: Changes, { asked, evidence }: Stop): Promise<boolean> {
  if ("files" in changes && changes.files.length + (changes.unseen?.files.length ?? 0) > 0) return true;
  const { steps = [], isPartial = false } = (await evidence?.()) ?? {};
  const written = hasWritten(steps, asked.prompts, isPartial);
  return written === "yes" || (written === "maybe" && "why" in changes);
}

/** Writes the user's prompts to a file, for reviewers whose message has no room for all of them. */
function promptsForReviewer({ world, asked, log, redactor }: Stop) {
  let scratch: Scratch | undefined;
  let file: string | undefined;
  return {
    fileFor: (way: ReviewWay): string | undefined => {
      const text = wholePrompts(asked.prompts, way);
      if (text === undefined || file !== undefined) return text && file;
      file = bestEffort(log.say, "write the prompts for the reviewer", () => {
        scratch ??= world.scratch();
        const path = join(scratch.path, "prompts.md");
        world.files.writePrivate(path, redactor.known(text));
        return path;
      });
      return file;
    },
    remove: () => bestEffort(log.say, "remove the prompts for the reviewer", () => scratch?.remove()),
  };
}
