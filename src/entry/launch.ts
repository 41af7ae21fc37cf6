import { dispatch } from "../cli/route.ts";
import type { Files } from "../os/files.ts";
import { exec } from "../os/process.ts";
import { keepLaunch, witnessLaunch } from "./repeat.ts";
import { realWorld } from "./world.ts";

/**
 * Launches claude with the little that a plain launch needs; the build bundles this file on its own. It only writes the
 * file that makes the launch repeatable. If the launch needs more, or anything fails, it returns false, and the whole
 * program starts over.
 */
export async function launchPlainly(host: NodeJS.Process, disk: () => Promise<Files>): Promise<boolean> {
  const witness = witnessLaunch(host);
  const start: typeof exec = async (program) => {
    const known = witness?.known(program);
    if (known !== undefined) await disk().then((files) => keepLaunch(known, files));
    return exec(program);
  };
  try {
    host.exit(await dispatch(realWorld(host, { exec: start, handOver: notPlain, late: notPlain, witness }), notPlain));
  } catch {
    return false;
  }
}

function notPlain(): never {
  throw new Error("this needs the whole program");
}
