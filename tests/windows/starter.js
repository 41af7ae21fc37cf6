/**
 * Runs in Windows and starts a program there with exactly the given environment: Wine sets USERPROFILE, PATH and others itself
 * for the program that it is asked to run. Called with a StartRequest as a JSON file.
 */
import { readFileSync } from "node:fs";

const { command, cwd, env, stdin } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const system = ["SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS", "NUMBER_OF_PROCESSORS"];
// Ctrl-C is for the program; this one only has to survive it.
process.on("SIGINT", () => {});
const child = Bun.spawn(command, {
  cwd,
  env: { ...Object.fromEntries(system.map((name) => [name, process.env[name]])), ...env },
  stdin: new Blob([stdin]),
  stdout: "inherit",
  stderr: "inherit",
});
process.exit(await child.exited);
