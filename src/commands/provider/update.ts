import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { presetOrigin } from "../../providers/preset-note.ts";
import { type PresetUpdate, presetUpdate } from "../../providers/preset-update.ts";
import { changeProvider, entryOf } from "../../providers/save.ts";
import { shownChanges } from "../../providers/shown-changes.ts";
import { docsPage } from "../../repository.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { columns, outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { askedProviders } from "../asked-providers.ts";
import { PROVIDER_OR_CURRENT } from "../shared-arguments.ts";
import { usePlaces } from "../use/use-places.ts";
import { tellUse } from "./tell-changes.ts";

const DESCRIPTION = `Bring a provider up to date with its preset. Shows what differs between the preset that it was made from and the
current one, and asks; without a terminal, pass --yes. Values that you have changed stay, and so does the key.

Signs
  ~ + -    changes, is added, is removed
  =        your own value, which stays

Exit codes
  0      up to date, or updated
  1      with --check: there is something to update; otherwise failure
  2      usage error, or unknown provider
  130    declined

More
  ${docsPage("providers.md#presets-stay-fresh")}`;

export function updateCommand(world: World) {
  return defineCommand({
    meta: { name: "update", description: DESCRIPTION },
    args: {
      name: PROVIDER_OR_CURRENT,
      all: { type: "boolean", default: false, description: "all providers in ccc.json" },
      check: {
        type: "boolean",
        default: false,
        description: "only show what would change; exit code 1 if anything would",
      },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: ({ args }) => {
      const { all, check, yes } = args;
      if (check && yes) throw usageError("--check cannot be combined with --yes");
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.name, all, world);
      return updateProviders(names, { isAll: all, check, yes }, loaded, world);
    },
  });
}

interface How {
  readonly isAll: boolean;
  readonly check: boolean;
  readonly yes: boolean;
}

async function updateProviders(
  names: readonly string[],
  { isAll, check, yes }: How,
  { config }: LoadedConfig,
  world: World,
): Promise<number> {
  const log = createLog(world);
  let declined = 0;
  let needed = 0;
  for (const name of names) {
    const entry = entryOf(config.providers, name) ?? {};
    const update = presetUpdate(name, entry);
    const said = update === undefined ? whyNone(presetOrigin(name, entry)) : heading(update);
    world.stdout(`${wrap(`${name}: ${said}`, outputWidth(world))}\n`);
    if (update === undefined) continue;
    world.stdout(
      columns([...shownChanges(entry, update.after), ...keptRows(update)].map(indented), outputWidth(world)),
    );
    if (!update.isNeeded) continue;
    needed++;
    if (check) continue;
    if (yes && isAll && update.isGuess) {
      log.warn(`"${name}" was not updated, because its preset is a guess. To do it: ccc provider update ${name}`);
    } else if (await isWanted(name, yes, world)) {
      apply(name, world);
    } else declined++;
  }
  if (check) return needed > 0 ? EXIT.failure : EXIT.ok;
  if (declined > 0 && declined === needed) throw new CccError("nothing was changed", { exitCode: EXIT.interrupted });
  return EXIT.ok;
}

async function isWanted(name: string, yes: boolean, world: World): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(world)) throw usageError("not a terminal: pass --yes to update, or --check to only look");
  return world.ask.confirm(`Update "${name}"?`, true);
}

function apply(name: string, world: World): void {
  const paths = cccPaths(world);
  const { backups } = usePlaces(world);
  const { backup } = changeProvider(
    world.files,
    { ...paths, backups },
    name,
    // Decided again under the lock: another ccc may have changed it meanwhile.
    (before = {}) => presetUpdate(name, before)?.after ?? before,
    world.now(),
  );
  const log = createLog(world);
  log.info(`updated "${name}" in ${paths.config}${backup === undefined ? "" : `; the file as it was: ${backup}`}`);
  tellUse(name, world);
}

function heading({ preset, from, isGuess, isNeeded }: PresetUpdate): string {
  if (isGuess) {
    const guess = `perhaps from the preset ${preset.name}, which has the same server`;
    return isNeeded
      ? `${guess}. ccc cannot tell which values are your own: all that differ would change.`
      : `${guess}, and the same values (${preset.asOf})`;
  }
  if (!isNeeded) return `up to date with the preset ${preset.name} (${preset.asOf})`;
  const days = from === undefined || from === preset.asOf ? preset.asOf : `${from} → ${preset.asOf}`;
  return `the preset ${preset.name} has changed (${days})`;
}

function whyNone(origin: ReturnType<typeof presetOrigin>): string {
  if (origin.kind === "noted")
    return `made from the preset ${origin.note.name}, which this version of ccc does not have`;
  return "not made from a preset, so there is nothing to update";
}

function keptRows({ kept }: PresetUpdate): string[][] {
  return kept.map(({ name, own, preset }) => [
    "=",
    name,
    `${own ?? "(not set)"} stays, it is your own (the preset has ${preset ?? "none"})`,
  ]);
}

function indented([sign, ...rest]: readonly string[]): string[] {
  return [`  ${sign}`, ...rest];
}
