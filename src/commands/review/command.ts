import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { REVIEW_CONTEXTS } from "../../config/defaults.ts";
import { loadConfig } from "../../config/load-config.ts";
import { usageError } from "../../errors.ts";
import { launchPins, otherProviderProblem } from "../../launch/launch-pins.ts";
import { providerHere } from "../../providers/require-provider.ts";
import { docsPage } from "../../repository.ts";
import { settleChecks } from "../../supervisor/checks/settle-checks.ts";
import { knownSecrets } from "../../supervisor/known-secrets.ts";
import { readSessionFacts } from "../../supervisor/record/read-transcript.ts";
import { sessionProviders } from "../../supervisor/record/resumed-provider.ts";
import { checkSource, readInstructions } from "../../supervisor/review/instructions.ts";
import { pinnedReviewers } from "../../supervisor/setup/pinned-reviewers.ts";
import { planSupervision } from "../../supervisor/setup/plan-supervision.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { createRedactor } from "../../text/redactor.ts";
import { outputWidth } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { everyValue, JSON_FLAG } from "../shared-arguments.ts";
import { chooseReviewer } from "./choose-reviewer.ts";
import { findSession } from "./find-session.ts";
import { prepareReviewers } from "./prepare-reviewers.ts";
import { renderReview } from "./render-review.ts";
import { reviewResult } from "./review-result.ts";
import { reviewSession } from "./review-session.ts";
import { showProgress } from "./show-progress.ts";

const DESCRIPTION = `Review a session now, whether it was supervised or not, and exit with the verdict. Nothing is
changed: not the project, not the session, not what ccc has on record about it.

Exit codes
  0      done
  1      failure
  2      usage error
  3      NOT done, or a check failed
  4      NOT reviewed: no verdict, or no session with an answer
  5      needs you
  127    claude not found
  130    Ctrl-C

JSON
  explained, with a pre-push hook as an example, in
  ${docsPage("review.md")}`;

export function reviewCommand(world: World) {
  return defineCommand({
    meta: {
      name: "review",
      description: DESCRIPTION,
    },
    args: {
      session: {
        type: "positional",
        required: false,
        description: "its id, or the beginning of it (default: the last session in this folder)",
      },
      provider: {
        type: "string",
        valueHint: "NAME",
        description: "who reviews (default: supervisor.provider, else the provider that the session last ran on)",
      },
      model: { type: "string", valueHint: "MODEL", description: "the reviewer's model (default: its provider's)" },
      check: {
        type: "string",
        valueHint: "COMMAND",
        description: "this command must pass first; if it fails, no model is asked. Repeatable",
      },
      context: {
        type: "enum",
        options: [...REVIEW_CONTEXTS],
        description: "what the reviewer sees: the session, or a digest of it (default: supervisor.context)",
      },
      anyway: {
        type: "boolean",
        default: false,
        description: "review also with a provider that the pin of this folder refuses",
      },
      json: JSON_FLAG,
    },
    run: ({ args, rawArgs }) => review(world, { ...args, checks: everyValue(rawArgs, "check") }),
  });
}

interface ReviewArguments {
  readonly session?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly context?: (typeof REVIEW_CONTEXTS)[number] | undefined;
  readonly checks: readonly string[];
  readonly anyway: boolean;
  readonly json: boolean;
}

async function review(world: World, args: ReviewArguments): Promise<number> {
  const log = createLog(world);
  if (args.checks.some((command) => command.trim() === ""))
    throw usageError("--check takes a command", 'For example: ccc review --check "npm test"');
  if (args.model?.trim() === "") throw usageError("--model takes the name of a model");
  const loaded = loadConfig(world);
  const paths = cccPaths(world);
  const session = await findSession(args.session, world.files, world, readSessionFacts);
  const { providers: ranOn, model: agentsModel } = sessionProviders({ session: session.id }, loaded, paths, world);
  const wished = chooseReviewer(
    { provider: args.provider, model: args.model, ranOn, agentsModel, current: providerHere(undefined, loaded, world) },
    planSupervision(loaded, world, undefined, args.checks),
    loaded,
  );
  const pins = args.anyway ? undefined : launchPins(loaded.config.claude_args ?? [], loaded, world);
  const anyway = `ccc review --anyway --provider ${args.provider}`;
  const problem = pins && args.provider !== undefined && otherProviderProblem(args.provider, pins, anyway);
  if (problem) throw problem;
  const [allowed] = pins?.strict ?? [];
  const pinned = pins && allowed && pinnedReviewers(wished.supervision, allowed.provider, pins);
  for (const notice of pinned?.notices ?? []) log.info(notice);
  const chosen = pinned === undefined ? wished : { ...wished, supervision: pinned.supervision };
  const reviewers = await prepareReviewers(world, chosen, loaded, paths);
  const instructions = readInstructions(world.files, world.cwd, paths.folder, (message) => log.warn(message));
  const checks = await settleChecks(world, paths, {
    own: chosen.supervision.checks,
    ...checkSource(instructions, paths.folder),
  });
  const redactor = createRedactor([...knownSecrets(world, reviewers.contents), ...reviewers.keys]);
  const progress = showProgress(world);
  progress.start(session.id, reviewers.record.reviewer, checks.commands.length);
  const done = await reviewSession(world, {
    ...{ session, loaded, paths, reviewers, instructions, checks, redactor },
    context: args.context ?? loaded.config.supervisor?.context ?? "auto",
    onStep: progress.step,
    onTrouble: progress.trouble,
  }).finally(progress.stop);
  const result = redactor.value(reviewResult(session.id, world.cwd, done));
  for (const finding of result.findings) log.warn(finding);
  if (done.signal !== undefined) {
    log.info("interrupted; nothing was changed");
    return result.exit_code;
  }
  world.stdout(args.json ? prettyJson(result) : renderReview(result, outputWidth(world)));
  return result.exit_code;
}
