import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { loadConfig } from "../../config/load-config.ts";
import { linkPath } from "../../config/settings-files.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { removeProvider } from "../../providers/save.ts";
import { forgetEntry } from "../../providers/store-key.ts";
import { TOKENS } from "../../providers/variables.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { readRecord } from "../use/use-record.ts";

const DESCRIPTION = `Remove a provider from ccc.json, with its key and its generated settings. In ccc's backup
copies its key is masked. Asks first; without a terminal, pass --yes.

Exit codes
  0      removed
  1      plain claude uses it (ccc use), or failure
  2      usage error, or unknown provider
  130    declined`;

export function removeCommand(world: World) {
  return defineCommand({
    meta: { name: "remove", description: DESCRIPTION },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: async ({ args }) => {
      const paths = cccPaths(world);
      const { record, backups } = usePlaces(world);
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded);
      if (readRecord(world.files, record)?.provider === name) {
        throw new CccError(`plain claude uses "${name}" (\`ccc use\`)`, { advice: "Undo that first: ccc use --reset" });
      }
      if (!args.yes) {
        if (!canAsk(world)) throw usageError("not a terminal: pass --yes to remove it");
        if (!(await confirm(`Remove "${name}" and its key from ${paths.config}?`, world)))
          throw new CccError("nothing was changed", { exitCode: EXIT.interrupted });
      }
      const log = createLog(world);
      const { env } = removeProvider(world.files, { ...paths, backups }, name);
      world.files.remove(linkPath(paths, name, world.platform));
      log.info(`removed "${name}" from ${paths.config}`);
      for (const token of TOKENS) {
        const forgotten = await forgetEntry(env?.[token], name, world);
        if (forgotten !== undefined) log[forgotten.isRemoved ? "info" : "warn"](forgotten.message);
      }
    },
  });
}
