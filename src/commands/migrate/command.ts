import { defineCommand } from "citty";
import { nameProblem } from "../../config/names.ts";
import { cccPaths } from "../../config/paths.ts";
import { EXIT, usageError } from "../../errors.ts";
import { alreadyThere } from "../../providers/save.ts";
import { docsPage } from "../../repository.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/places.ts";
import { carryOut } from "./carry-out.ts";
import { describeMigration } from "./describe.ts";
import { findLeftovers } from "./find.ts";
import { isNothing, type Leftovers, type Migration, planMigration } from "./plan.ts";

const DESCRIPTION = `Make a provider of what your settings.json says, and clear away what the Go ccc left. It shows what
it would do and asks first; where there is nobody to ask it changes nothing without --yes. Of every file that it changes it
keeps a copy.

Exit codes
  0    done, or nothing to do, or not wanted
  1    a failure
  2    a mistake on the command line

More
  ${docsPage("providers.md#coming-from-elsewhere")}`;

/** `ccc migrate`: takes over what was set up by hand, or by an earlier ccc. */
export function migrateCommand(world: World) {
  return defineCommand({
    meta: {
      name: "migrate",
      description: DESCRIPTION,
    },
    args: {
      name: { type: "string", valueHint: "NAME", description: "the provider's name (default: after its server)" },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: ({ args }) => migrate(world, args.name, args.yes),
  });
}

async function migrate(world: World, name: string | undefined, yes: boolean): Promise<number> {
  const found = findLeftovers(world);
  if (name !== undefined) checkName(name, found);
  const asks = !yes && canAsk(world);
  const first = planMigration(found, name);
  const { settings, backups } = usePlaces(world);
  const { config } = cccPaths(world);
  for (const line of describeMigration(first, settings, config)) world.stdout(`${line}\n`);
  if (isNothing(first)) {
    world.stdout("There is nothing to migrate.\n");
    return EXIT.ok;
  }
  if (!yes && !asks) {
    world.stdout("Nothing was changed. To do it: ccc migrate --yes\n");
    return EXIT.ok;
  }
  const plan = await named(first, found, name === undefined && asks, world);
  if (asks && !(await confirm("Do this?", world))) {
    world.stdout("Nothing was changed.\n");
    return EXIT.ok;
  }
  carryOut(plan, world);
  createLog(world).info(`copies of the files as they were: ${backups}`);
  const start = plan.provider === undefined ? "" : ` Start it: ccc ${plan.provider.name}`;
  world.stdout(`Done.${start}\n`);
  return EXIT.ok;
}

/** The plan under the name that the user gives it, where there is somebody to ask. */
async function named(plan: Migration, found: Leftovers, asks: boolean, world: World): Promise<Migration> {
  if (!asks || plan.provider === undefined || plan.provider.isThere) return plan;
  const isTaken = (answer: string) =>
    Object.hasOwn(found.providers, answer) ? "there is one of that name" : undefined;
  const name = await world.ask.text("What will you call that provider? You type: ccc NAME", {
    initial: plan.provider.name,
    check: (answer) => nameProblem(answer) ?? isTaken(answer),
  });
  return planMigration(found, name);
}

function checkName(name: string, { providers }: Leftovers): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
  if (Object.hasOwn(providers, name)) throw alreadyThere(name, "Give it another name: ccc migrate --name NAME");
}
