import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError, EXIT } from "../../errors.ts";
import { prettyJson } from "../../text/json.ts";
import { colored, outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG, requireProvider } from "../arguments.ts";
import { attempted, doctorChecks } from "./checks.ts";
import { fixFiles } from "./fixable.ts";
import type { Check } from "./live.ts";

const DESCRIPTION = `Check the setup, and whether the supervisor's hook really fires with your claude. The live part runs
claude on a scripted model in a temporary home for a few seconds, and uses no key. If you name a
provider, its server gets one request with its key, as from \`ccc validate\`. Only --fix changes anything.

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
        description: "fix what is safe to fix: modes, stale locks, files of killed processes, old records and links",
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
  const loaded = attempted(() => loadConfig(world));
  const isLoaded = !(loaded instanceof CccError);
  if (isLoaded && provider !== undefined) requireProvider(provider, loaded, world);
  const report = (check: Check) => {
    checks.push(check);
    if (!asJson) world.stdout(colored(text(check, outputWidth(world)), world));
  };
  if (fix) fixAll(world).forEach(report);
  for await (const check of doctorChecks(world, loaded, provider)) report(check);
  if (!asJson && isLoaded)
    world.stdout(
      `${provider === undefined ? "To test the providers: ccc validate --all" : `To test its tools and streaming: ccc validate ${provider} --deep`}\n`,
    );
  const isFine = checks.every(({ status }) => status !== "fail");
  if (asJson) world.stdout(prettyJson({ ok: isFine, checks }));
  return isFine ? EXIT.ok : EXIT.failure;
}

function text({ status, name, detail, advice }: Check, width: number): string {
  const lines = advice === "" ? [] : advice.split("\n").map((line) => `    ${line}`);
  return [`${SIGNS[status]} ${name}: ${detail}`, ...lines].map((line) => `${wrap(line, width)}\n`).join("");
}

function fixAll(world: World): Check[] {
  const fixes = fixFiles(world, cccPaths(world));
  if (fixes.length === 0) return [{ name: "fixed", status: "ok", detail: "nothing needed fixing", advice: "" }];
  return fixes.map(({ detail, isFixed }) =>
    isFixed
      ? { name: "fixed", status: "ok", detail, advice: "" }
      : {
          name: "fixed",
          status: "warn",
          detail: `not everything: ${detail}`,
          advice: "Fix it by hand, perhaps as another user.",
        },
  );
}
