import { dispatch } from "../cli/dispatch.ts";
import { exec } from "../os/exec.ts";
import { realWorld } from "./world.ts";

/**
 * Launches claude with the little that a plain launch needs; the build bundles this file on its own. It writes nothing. If the
 * launch needs anything else, or something goes wrong, it returns false, and the whole program starts over.
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
