import { expect, test } from "bun:test";
import { join } from "node:path";
import { windowsPlace } from "./windows-place.ts";

const SLEEP = "await Bun.sleep(60_000)";

/** Starts a program that starts another, and an unrelated one, and looks for the descendants of the first. */
const SCRIPT = `
import { processesOfRun } from ${JSON.stringify(join(import.meta.dir, "../../src/os/processes.ts"))};
const start = (script) => Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
const other = start(${JSON.stringify(SLEEP)});
const parent = start("const child = Bun.spawn([process.execPath, '-e', '${SLEEP}']); console.log(child.pid); ${SLEEP}");
const { value } = await parent.stdout.getReader().read();
const found = processesOfRun("none", parent.pid);
console.log(JSON.stringify({ started: [Number(new TextDecoder().decode(value))], found }));
for (const pid of [...found, parent.pid, other.pid]) process.kill(pid, "SIGKILL");
`;

test("finds the programs that a program has started, so that they end with it", async () => {
  await using place = await windowsPlace(() => ({ say: "not asked" }));
  await place.write(place.at("script.ts"), SCRIPT);
  await Bun.build({ entrypoints: [place.at("script.ts")], target: "bun", outdir: place.at("built") });

  const result = await place.ccc([place.windowsAt("built/script.js")], { env: { BUN_BE_BUN: "1" } });

  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  const { started, found } = JSON.parse(result.stdout);
  expect(found).toEqual(started);
});
