import { dispatch } from "../cli/dispatch.ts";
import { exec } from "../os/exec.ts";
import { realWorld } from "./world.ts";

/**
 * Tries to launch claude with the little that a plain launch needs, for which the build bundles this file on its own. It
 * writes nothing: whatever a launch rarely needs, and whatever goes wrong, is left to the whole program, which starts anew.
 * Returns false then.
 */
export async function launchPlainly(host: NodeJS.Process): Promise<boolean> {
  try {
    host.exit(await dispatch(realWorld(host, { exec, handOver: notPlain, late: notPlain }), notPlain));
  } catch {
    return false;
  }
}

function notPlain(): never {
  throw new Error("this needs the whole program");
}
