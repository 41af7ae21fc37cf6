import { defineCommand } from "citty";
import { readLayers } from "../../claude/layers.ts";
import { loadConfig } from "../../config/check.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError, EXIT, messageOf } from "../../errors.ts";
import { askVersion } from "../../launch/ask-claude.ts";
import { findClaude } from "../../launch/find.ts";
import { requireProvider } from "../../providers/presets.ts";
import { docsPage } from "../../repository.ts";
import { removeOldRecords } from "../../supervisor/record/launch.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG } from "../shared.ts";
import * as setup from "./checks.ts";
import * as supervision from "./checks.ts";
import {
  type Check,
  checkClaudeArguments,
  checkLaunches,
  checkLeftovers,
  checkLive,
  checkRecentReviews,
  fail,
  findLeftovers,
  ok,
  warn,
} from "./checks.ts";

const DESCRIPTION = `Check the setup, and whether the supervisor's hook really fires with your claude. The live part runs
claude on a scripted model in a temporary home for a few seconds, and uses no key. Only --fix changes anything.

Signs
  ✓    fine
  !    worth knowing
  ✗    must be fixed

Exit codes
  0    no ✗
  1    at least one ✗
  2    usage error, or unknown provider

JSON
  { ok, checks: [{ name, status, detail, advice }] }, explained in
  ${docsPage("doctor.md")}`;

export function doctorCommand(world: World) {
  return defineCommand({
    meta: {
      name: "doctor",
      description: DESCRIPTION,
    },
    args: {
      fix: {
        type: "boolean",
        default: false,
        description: "fix what is safe to fix: modes, stale locks, files of killed processes, old records",
      },
      json: JSON_FLAG,
      provider: {
        type: "positional",
        required: false,
        description: "check this provider only (default: all in ccc.json)",
      },
    },
    run: ({ args }) => doctor(world, args),
  });
}

const SIGNS = { ok: "✓", warn: "!", fail: "✗" } as const;

interface DoctorArguments {
  readonly fix: boolean;
  readonly json: boolean;
  readonly provider: string | undefined;
}

async function doctor(world: World, { fix, json: asJson, provider }: DoctorArguments): Promise<number> {
  const checks: Check[] = [];
  const loaded = attempt(() => loadConfig(world));
  const isLoaded = !(loaded instanceof CccError);
  if (isLoaded && provider !== undefined) requireProvider(provider, loaded);
  const report = (check: Check) => {
    checks.push(check);
    if (!asJson) world.stdout(text(check, outputWidth(world)));
  };
  if (fix) fixLeftovers(world).forEach(report);
  for await (const check of examine(world, loaded, provider)) report(check);
  if (!asJson && isLoaded)
    world.stdout(
      `${provider === undefined ? "To test the providers: ccc validate --all" : `To test the provider: ccc validate ${provider}`}\n`,
    );
  const isFine = checks.every(({ status }) => status !== "fail");
  if (asJson) world.stdout(prettyJson({ ok: isFine, checks }));
  return isFine ? EXIT.ok : EXIT.failure;
}

function text({ status, name, detail, advice }: Check, width: number): string {
  const lines = advice === "" ? [] : advice.split("\n").map((line) => `    ${line}`);
  return [`${SIGNS[status]} ${name}: ${detail}`, ...lines].map((line) => `${wrap(line, width)}\n`).join("");
}

async function* examine(
  world: World,
  loaded: LoadedConfig | CccError,
  provider: string | undefined,
): AsyncGenerator<Check> {
  const paths = cccPaths(world);
  const claude = attempt(() => findClaude(world));
  if (claude instanceof CccError) yield fail("claude", claude.message, claude.advice ?? "");
  else yield setup.checkVersion(claude, await askVersion(world, claude));
  yield setup.checkOwnPath(world.self, world.env);

  const layers = attempt(() => readLayers(world.files, world));
  if (loaded instanceof CccError) yield fail("ccc.json", loaded.message, loaded.advice ?? "");
  if (layers instanceof CccError) yield fail("managed policy", layers.message, layers.advice ?? "");
  if (!(loaded instanceof CccError)) {
    yield setup.checkConfigKeys(loaded);
    yield* checkLaunches(world, loaded, provider);
    yield setup.checkPresets(loaded, provider);
    yield setup.checkUse(world, loaded);
  }
  if (!(layers instanceof CccError)) {
    yield setup.checkConflicts(layers, world.env, world);
    yield supervision.checkHooks(layers, loaded instanceof CccError ? undefined : loaded.config.supervisor?.engine);
  }
  yield supervision.checkTrust(world);
  yield supervision.checkInstructions(world, paths);
  yield supervision.checkStateFolder(world);
  yield* checkLeftovers(findLeftovers(world, paths), paths);
  yield await checkRecentReviews(world, paths);
  if (!(claude instanceof CccError)) {
    const args = loaded instanceof CccError ? [] : (loaded.config.claude_args ?? []);
    yield* await checkClaudeArguments(world, claude, args);
    world.stderr("  … running claude on a scripted model, for a few seconds\n");
    yield* await checkLive(world, claude);
  }
}

function attempt<T>(action: () => T): T | CccError {
  try {
    return action();
  } catch (error) {
    return error instanceof CccError ? error : new CccError(messageOf(error));
  }
}

/** Fixes what is safe to fix, and says what it did. Nothing that the user wrote is changed. */
export function fixLeftovers(world: World): Check[] {
  const { files } = world;
  const paths = cccPaths(world);
  const { open, locks, temporary } = findLeftovers(world, paths);
  const done = [
    ...open.map((path) => attempted(`${path} is now readable by you only`, () => files.makePrivate(path))),
    ...locks.map((path) => attempted(`removed the lock ${path}`, () => files.removeStaleLock(path))),
    ...temporary.map((path) => attempted(`removed ${path}, which a killed process left`, () => files.remove(path))),
  ];
  const old = removeOldRecords(files, paths);
  if (old > 0)
    done.push(ok("fixed", `removed ${counted(old, "record")} of launches and sessions that are too old to matter`));
  return done.length === 0 ? [ok("fixed", "nothing needed fixing")] : done;
}

function attempted(what: string, action: () => void): Check {
  try {
    action();
    return ok("fixed", what);
  } catch (error) {
    return warn("fixed", `not everything: ${messageOf(error)}`, "Fix it by hand, perhaps as another user.");
  }
}
