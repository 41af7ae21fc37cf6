import { dispatch } from "../cli/dispatch.ts";
import { exec, handOver } from "../os/exec.ts";
import { realWorld } from "./world.ts";

/** Runs the command line. A plain launch loads nothing else: `late` is one chunk with the rest of ccc. */
export async function start(host: NodeJS.Process): Promise<void> {
  const world = realWorld(host, { exec, handOver, late: () => late().WORLD_PARTS });
  host.exit(await dispatch(world, () => late().LATE_PROGRAM));
}

/** `require` keeps a launch synchronous. A second such chunk would make the bundler split the launch itself. */
function late(): typeof import("./late.ts") {
  return require("./late.ts");
}
