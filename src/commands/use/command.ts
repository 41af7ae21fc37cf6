import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths, settingsLifetime } from "../../config/paths.ts";
import { EXIT, usageError } from "../../errors.ts";
import { join } from "../../os/path.ts";
import { launchRecords } from "../../supervisor/record/launch.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import type { Path } from "../../text/json-text.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { requireProvider } from "../asked-provider.ts";
import { prepareUse } from "./settings.ts";
import { reset, use, usePlaces, useStatus } from "./switch.ts";

const DESCRIPTION = `Make plain claude and editors use a provider, through Claude Code's own settings.json. Without a
provider, show which one is in use.

Examples
  ccc use glm                 plain claude uses glm from now on
  ccc use --supervisor glm    the same, and every stop is reviewed
  ccc use                     show which provider plain claude uses
  ccc use --reset             restore settings.json, byte for byte

Exit codes
  0    done
  1    refused, or failure
  2    usage error, or unknown provider

JSON
  { provider, supervised, since, settings, changed }, explained in
  ${docsPage("providers.md#the-persistent-switch")}`;

const A_NAME = "a provider";

export function useCommand(world: World) {
  return defineCommand({
    meta: {
      name: "use",
      description: DESCRIPTION,
    },
    args: {
      supervisor: { type: "boolean", default: false, description: "also review every stop" },
      reset: { type: "boolean", default: false, description: "undo what ccc changed, and nothing else" },
      json: { type: "boolean", default: false, description: "print what is in use as JSON for programs" },
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
    },
    run: ({ args }) => {
      const { provider, supervisor, reset: isReset, json } = args;
      if (isReset) {
        const other = [provider && A_NAME, supervisor && "--supervisor", json && "--json"].find(Boolean);
        if (other) throw usageError(`--reset cannot be combined with ${other}`);
        return undo(world);
      }
      if (provider !== undefined) {
        if (json) throw usageError(`--json cannot be combined with ${A_NAME}`);
        return switchTo(world, provider, supervisor);
      }
      if (supervisor) throw usageError("--supervisor needs a provider");
      return showStatus(world, json);
    },
  });
}

async function switchTo(world: World, provider: string, supervised: boolean): Promise<number> {
  const loaded = loadConfig(world);
  requireProvider(provider, loaded);
  const places = usePlaces(world);
  const { wanted, notices, secrets, keyFiles } = await prepareUse(world, loaded, provider, supervised);
  const { changed, replaced, backup, isStrict } = use(places, { provider, supervised }, wanted);
  const log = createLog(world);
  for (const notice of notices) log.warn(notice);
  if (!isStrict) log.warn(`${places.settings} has comments: Claude Code considers it invalid and ignores all of it`);
  if (replaced.length > 0) {
    log.info(`replaced in ${places.settings} until \`ccc use --reset\`: ${replaced.map(pathName).join(", ")}`);
  }
  const own = secrets.length === 0 ? [] : [places.settings, places.record].map((path) => ({ provider, path }));
  for (const [name, files] of Map.groupBy(changed ? [...own, ...keyFiles] : [], (file) => file.provider)) {
    log.info(`the key of ${name} is now in ${and(files.map(({ path }) => path))}, readable only by you`);
  }
  if (backup !== undefined) log.info(`copy of the original file: ${backup}`);
  const what = `plain claude and your editors use ${provider}${supervised ? ", supervised" : ""}`;
  const place = `(${places.settings})`;
  say(changed ? `From now on ${what} ${place}. To undo: ccc use --reset` : `No change: ${what} ${place}.`, world);
  return EXIT.ok;
}

function undo(world: World): number {
  const log = createLog(world);
  const done = reset(usePlaces(world));
  launchRecords(world.files, cccPaths(world)).forgetUse();
  removeReviewerFiles(world);
  if (done === undefined) {
    say("Nothing to undo: plain claude uses its own settings.", world);
    return EXIT.ok;
  }
  const { record, outcome, kept } = done;
  for (const path of kept) log.warn(`${pathName(path)} was changed since, so it stays as it is`);
  say(`${OUTCOMES[outcome](record.settings)} ${record.provider} is no longer in use.`, world);
  return EXIT.ok;
}

/** Removes the settings of every reviewer that `use` has written: they may hold keys. */
function removeReviewerFiles(world: World): void {
  const { generated } = cccPaths(world);
  for (const name of world.files.list(generated))
    if (settingsLifetime(name) === "use") world.files.remove(join(generated, name));
}

const OUTCOMES = {
  restored: (path: string) => `${path} is restored, byte for byte.`,
  reverted: (path: string) => `ccc's changes in ${path} are undone; later edits stay.`,
  removed: (path: string) => `${path} is removed: it did not exist before.`,
  gone: (path: string) => `${path} no longer exists, so there was nothing to undo.`,
} as const;

function showStatus(world: World, asJson: boolean): number {
  const places = usePlaces(world);
  const status = useStatus(places);
  if (asJson) {
    world.stdout(prettyJson(status ?? { provider: null, settings: places.settings }));
  } else if (status === undefined) {
    say("Plain claude uses its own settings. To change that: ccc use <provider>", world);
  } else {
    const { provider, supervised, since, settings, changed } = status;
    say(`Plain claude uses ${provider}${supervised ? ", supervised" : ""}, since ${clock(since)} (${settings})`, world);
    if (changed.length > 0) {
      createLog(world).warn(
        `that file was changed since: ${changed.join(", ")}. To fix it: ccc use ${supervised ? "--supervisor " : ""}${provider}`,
      );
    }
  }
  return EXIT.ok;
}

function say(text: string, world: World): void {
  world.stdout(`${wrap(text, outputWidth(world))}\n`);
}

/** In local time. */
function clock(time: string): string {
  // The Swedish format is 2026-11-16 06:19.
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}

function and(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function pathName(path: Path): string {
  return path.join(".");
}
