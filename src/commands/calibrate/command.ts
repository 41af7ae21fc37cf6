import { defineCommand } from "citty";
import { usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { pagePath } from "../report/write-page.ts";
import { everyValue, JSON_FLAG } from "../shared-arguments.ts";
import { calibrate } from "./calibrate.ts";
import { showLastRun } from "./show-run.ts";

const DESCRIPTION = `Measure what a reviewer catches and misses, on your own provider: fixed cases whose truth is known are reviewed
as real sessions are. Use it to choose a reviewer, and to see whether a change of SUPERVISOR.md helps.

The agents of the cases are scripted and cost nothing; only the reviews go to your provider. ccc says how many
requests and tokens that takes, roughly, and asks before it starts. Nothing of your project is sent but its SUPERVISOR.md.

Exit codes
  0      every review was made, whatever the figures are
  1      failure, or a provider was stopped early
  2      usage error
  4      no verdict at all
  127    claude not found
  130    Ctrl-C: what was reviewed is shown and kept; go on with --resume

Cases, figures, JSON
  explained in ${docsPage("calibrate.md")}`;

const CONTEXTS = ["session", "fresh"] as const;

export function calibrateCommand(world: World) {
  return defineCommand({
    meta: { name: "calibrate", description: DESCRIPTION },
    args: {
      provider: {
        type: "string",
        valueHint: "NAME",
        description:
          "who reviews, also as NAME:MODEL (default: who reviews in this folder). Repeatable: several are compared",
      },
      model: { type: "string", valueHint: "MODEL", description: "the reviewer's model (default: its provider's)" },
      context: {
        type: "enum",
        options: [...CONTEXTS],
        description: "what the reviewer sees: the session, or a digest of it (default: as in a real session)",
      },
      cases: {
        type: "string",
        valueHint: "CASES",
        description:
          "only those with these names, as in stub,red-tests; or a folder with cases of your own (default: all of ccc's)",
      },
      repeat: { type: "string", valueHint: "N", description: "how often to review each case (default: 1)" },
      jobs: { type: "string", valueHint: "N", description: "how many cases to work on at the same time (default: 2)" },
      html: { type: "string", valueHint: "FILE", description: "also write the results as one self-contained page" },
      json: JSON_FLAG,
      yes: { type: "boolean", default: false, description: "do not ask before the start" },
      last: {
        type: "boolean",
        default: false,
        description: "show the last run and compare it with the one before; makes no requests",
      },
      resume: { type: "boolean", default: false, description: "go on with the last run that was not finished" },
      anyway: {
        type: "boolean",
        default: false,
        description: "show the project's SUPERVISOR.md also to a provider that the pin of this folder refuses",
      },
    },
    run: ({ args, rawArgs }) => {
      const words = (name: string) => everyValue(rawArgs, name);
      if (args.html === "") throw usageError("--html needs the name of a file");
      if (args.last && args.resume) throw usageError("--last cannot be combined with --resume");
      const given = NEW_RUN.find((name) => args[name] !== undefined);
      if (given !== undefined && (args.last || args.resume))
        throw usageError(`--${given} cannot be combined with ${args.last ? "--last" : "--resume"}, which has its own`);
      const unused = args.last ? UNUSED.find((name) => args[name] !== undefined && args[name] !== false) : undefined;
      if (unused !== undefined) throw usageError(`--${unused} cannot be combined with --last, which makes no requests`);
      // Before anything costs: the page must not be what fails in the end.
      const html = args.html === undefined ? undefined : pagePath(world, args.html, "calibration.html");
      const output = { json: args.json, html };
      if (args.last) return showLastRun(world, output);
      const { model, context, repeat, jobs, yes, resume, anyway } = args;
      const chosen = { providers: words("provider"), model, context, cases: words("cases"), repeat };
      return calibrate(world, { ...chosen, jobs, yes, resume, anyway, output });
    },
  });
}

/** What a run on record already has. */
const NEW_RUN = ["provider", "model", "context", "cases", "repeat"] as const;
const UNUSED = ["jobs", "yes", "anyway"] as const;
