import { defineCommand } from "citty";
import { loadConfig } from "../../config/own.ts";
import { cccPaths } from "../../config/paths.ts";
import { EXIT, usageError } from "../../errors.ts";
import { requireProvider } from "../../providers/known-provider.ts";
import { docsPage } from "../../repository.ts";
import { forgetUse } from "../../supervisor/launch-record.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "./places.ts";
import { prepareUse } from "./prepare.ts";
import { pathName, useStatus } from "./status.ts";
import { reset, use } from "./switch.ts";
import { wantedSettings } from "./wanted.ts";

const DESCRIPTION = `Make plain claude and editors use a provider, by Claude Code's own settings.json. Without a provider
it says what is in force.

Examples
  ccc use glm                 from now on plain claude uses glm
  ccc use --supervisor glm    and every stop is reviewed
  ccc use                     what is in force
  ccc use --reset             back to what was, to the byte

Exit codes
  0    done, or told what is in force
  1    refused, or a failure
  2    usage error, or unknown provider

JSON
  { provider, supervised, since, settings, changed }, explained in
  ${docsPage("providers.md#the-persistent-switch")}`;

const A_NAME = "a provider's name";

/** `ccc use`: the persistent switch, in Claude Code's own settings.json. */
export function useCommand(world: World) {
  return defineCommand({
    meta: {
      name: "use",
      description: DESCRIPTION,
    },
    args: {
      supervisor: { type: "boolean", default: false, description: "review every stop there, too" },
      reset: { type: "boolean", default: false, description: "take back what ccc changed, and nothing else" },
      json: { type: "boolean", default: false, description: "print JSON, for programs: what is in force" },
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
    },
    run: ({ args }) => {
      const { provider, supervisor, reset: isReset, json } = args;
      if (isReset) {
        const other = [provider && A_NAME, supervisor && "--supervisor", json && "--json"].find(Boolean);
        if (other) throw usageError(`--reset cannot be combined with ${other}`);
        return takeBack(world);
      }
      if (provider !== undefined) {
        if (json) throw usageError(`--json cannot be combined with ${A_NAME}`);
        return switchTo(world, provider, supervisor);
      }
      if (supervisor) throw usageError("--supervisor needs a provider");
      return tell(world, json);
    },
  });
}

async function switchTo(world: World, provider: string, supervised: boolean): Promise<number> {
  const loaded = loadConfig(world);
  requireProvider(provider, loaded);
  const places = usePlaces(world);
  const { sources, notices, secrets } = await prepareUse(world, loaded, provider, supervised);
  const { changed, replaced, backup, isStrict } = use(places, { provider, supervised }, (base) =>
    wantedSettings({ ...sources, base }),
  );
  const log = createLog(world);
  for (const notice of notices) log.warn(notice);
  if (!isStrict) log.warn(`${places.settings} has comments: Claude Code takes it for broken and heeds none of it`);
  if (replaced.length > 0) {
    log.info(`replaced in ${places.settings} until a reset: ${replaced.map(pathName).join(", ")}`);
  }
  if (changed && secrets.length > 0) {
    log.info(`the key of ${provider} is now in ${places.settings}, readable by you alone: ${secrets.join(", ")}`);
  }
  if (backup !== undefined) log.info(`a copy of the file as it was: ${backup}`);
  const what = `plain claude and your editors use ${provider}${supervised ? ", supervised" : ""}`;
  const place = `(${places.settings})`;
  say(changed ? `From now on ${what} ${place}. To undo that: ccc use --reset` : `As before, ${what} ${place}.`, world);
  return EXIT.ok;
}

function takeBack(world: World): number {
  const log = createLog(world);
  const done = reset(usePlaces(world));
  forgetUse(world.files, cccPaths(world));
  if (done === undefined) {
    say("There is nothing to take back: no provider is in use by `ccc use`.", world);
    return EXIT.ok;
  }
  const { record, outcome, kept } = done;
  for (const path of kept) log.warn(`${pathName(path)} was changed since by somebody else, and stays as it is`);
  say(`${OUTCOMES[outcome](record.settings)} ${record.provider} is no longer in use.`, world);
  return EXIT.ok;
}

const OUTCOMES = {
  restored: (path: string) => `${path} is as it was before, to the byte.`,
  reverted: (path: string) => `What ccc changed in ${path} is gone; what was edited there since stays.`,
  removed: (path: string) => `${path} is gone: there was none before.`,
  gone: (path: string) => `${path} is not there any more, so there was nothing to take back.`,
} as const;

function tell(world: World, asJson: boolean): number {
  const places = usePlaces(world);
  const status = useStatus(places);
  if (asJson) {
    world.stdout(prettyJson(status ?? { provider: null, settings: places.settings }));
  } else if (status === undefined) {
    say("Plain claude goes by its own settings. To change that: ccc use <provider>", world);
  } else {
    const { provider, supervised, since, settings, changed } = status;
    say(`Plain claude uses ${provider}${supervised ? ", supervised" : ""}, since ${clock(since)} (${settings})`, world);
    if (changed.length > 0) {
      createLog(world).warn(
        `that file no longer says so: ${changed.join(", ")} changed since. To set it right: ccc use ${supervised ? "--supervisor " : ""}${provider}`,
      );
    }
  }
  return EXIT.ok;
}

function say(text: string, world: World): void {
  world.stdout(`${wrap(text, outputWidth(world))}\n`);
}

/** As on the clock of whoever reads it. */
function clock(time: string): string {
  // Sweden writes 2026-11-16 06:19.
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}
