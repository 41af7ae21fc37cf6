import { join, resolve } from "node:path";
import { type StopEvent, StopEventSchema } from "../../claude/stop-event.ts";
import { messageOf } from "../../errors.ts";
import { createRedactor, type Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { bestEffort } from "../best-effort.ts";
import type { HookOptions } from "../hook-options.ts";
import { knownSecrets } from "../known-secrets.ts";
import { projectFiles } from "../project-folder.ts";
import { noteRun } from "../record/run-notes.ts";
import { announcement, reviewedInstead } from "../review/announcement.ts";
import { exitCodeFor, notReviewed, type Outcome, SKIPPED } from "../review/outcome.ts";
import { reviewStop } from "../review/review-stop.ts";
import { readIdentity } from "../review/reviewer-program.ts";
import { LOG_NAME, supervisorLog } from "../supervisor-log.ts";
import { readEvent } from "./read-event.ts";
import type { HookSession, ReadyStop } from "./ready-stop.ts";
import { recordedStop } from "./recorded-stop.ts";
import { standaloneStop } from "./standalone-stop.ts";
import { stopAnswer } from "./stop-answer.ts";

/** Answers a Stop event, whatever happens. Without a review the agent may stop. */
export async function superviseStop(world: World, hook: HookOptions): Promise<void> {
  const redactor = createRedactor(secretsOf(world, hook));
  const about = {
    limit: 0,
    announce: hook.announce,
    takesFeedback: false,
    outputFile: "",
    log: `${hook.stateDir}/${LOG_NAME}`,
    findings: [] as readonly string[],
  };
  let close: ReadyStop["close"] = () => {};
  let notify: ReadyStop["notify"] = async () => undefined;
  let outcome: Outcome;
  let base = hookSession(world, hook, redactor, undefined);
  try {
    const event = readEvent(world, StopEventSchema, "Stop");
    base = hookSession(world, hook, redactor, event);
    noteRun(world, hook, { event: "stop", session: event.session_id });
    const { configDir } = hook;
    const ready =
      configDir === undefined ? standaloneStop(base, hook, event) : recordedStop(base, hook, event, configDir);
    const { session, stop, skipped, takesFeedback } = await ready.then((found) => {
      ({ close, notify } = found);
      return found;
    });
    about.limit = session.options.maxIterations;
    about.outputFile = session.outputFile;
    about.findings = stop.findings;
    about.takesFeedback = takesFeedback;
    outcome = skipped === undefined ? await reviewStop(session, stop) : { kind: "skipped", why: skipped };
    if (outcome.kind === "unreviewed") base.log.say(`could not review: ${outcome.why}`);
    if (outcome.kind === "skipped") base.log.say(`no review: ${SKIPPED[outcome.why]}`);
  } catch (error) {
    outcome = notReviewed(error);
    base.log.say(messageOf(error));
  }
  if (outcome.kind === "unreviewed") outcome = { ...outcome, why: redactor.text(outcome.why) };
  close(outcome);
  const instead = reviewedInstead(outcome);
  const told = redactor.text(announcement(outcome, about.limit, about.log));
  noteRun(world, hook, {
    event: "outcome",
    code: exitCodeFor(outcome) ?? null,
    lines: [told, ...[...(instead === undefined ? [] : [instead]), ...about.findings].map(redactor.text)],
  });
  const notification = await notify(outcome, told);
  const answer = stopAnswer(outcome, { ...about, notification });
  if (answer !== undefined) world.stdout(JSON.stringify(answer));
}

function secretsOf(world: World, { settings, configDir }: HookOptions): string[] {
  const env = configDir === undefined ? world.env : { ...world.env, CCC_CONFIG_DIR: configDir };
  return knownSecrets({ ...world, env }, settings === undefined ? [] : [readIdentity(world.files, settings)]);
}

function hookSession(world: World, hook: HookOptions, redactor: Redactor, event: StopEvent | undefined): HookSession {
  const project = projectOf(world, event);
  const folder = resolve(project, hook.stateDir);
  const open = () => projectFiles(world.files, project, folder);
  const log = supervisorLog(world, folder, open, redactor.text);
  const id = event?.session_id ?? "";
  const files = event && bestEffort(log.say, "save the state in the project", open);
  return { world, id, project, files, outputFile: join(folder, `supervisor-${id}-output.jsonl`), log, redactor };
}

/** The folder the session started in; the agent may have changed folders since. */
function projectOf(world: World, event: StopEvent | undefined): string {
  return world.env.CLAUDE_PROJECT_DIR || event?.cwd || world.cwd;
}
