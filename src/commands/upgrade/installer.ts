import powershellScript from "../../../install.ps1" with { type: "text" };
import shellScript from "../../../install.sh" with { type: "text" };
import type { Program, World } from "../../world.ts";

export interface Installer {
  readonly program: Program;
  readonly stdin: string;
}

/**
 * How to run the install script that is embedded in ccc. A shell reads it from stdin. PowerShell cannot read a script of
 * more than one line from there, so it is written to `folder`.
 */
export function installer(
  { env, platform, files, version: running }: Pick<World, "env" | "platform" | "files" | "version">,
  target: { readonly prefix: string; readonly version: string | undefined },
  folder: string,
): Installer {
  const { prefix, version } = target;
  if (platform !== "win32") {
    const options = [
      "--upgrade-from",
      running,
      "--prefix",
      prefix,
      ...(version === undefined ? [] : ["--version", version]),
    ];
    return { program: { file: "/bin/sh", args: ["-s", "--", ...options], env }, stdin: shellScript };
  }
  const script = `${folder}\\install.ps1`;
  files.create(script, powershellScript);
  const options = ["-UpgradeFrom", running, "-Prefix", prefix, ...(version === undefined ? [] : ["-Version", version])];
  const args = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script, ...options];
  const powershell = `${env.SystemRoot ?? "C:\\Windows"}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  return { program: { file: powershell, args, env }, stdin: "" };
}
