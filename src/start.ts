import { run } from "./cli/run.ts";
import { exec, handOver } from "./launch/execute.ts";
import { lazy } from "./lazy.ts";
import { realWorld } from "./real-world.ts";

/** Runs the command line in the real World. */
export async function start(host: NodeJS.Process): Promise<void> {
  host.exit(await run(realWorld(host, { exec, handOver, late: lazy })));
}
