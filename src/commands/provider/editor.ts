import { defineCommand } from "citty";
import { EDITOR_SETTINGS } from "../../claude/hook-settings.ts";
import { loadConfig } from "../../config/check.ts";
import { namedIn } from "../../config/load.ts";
import { cccPaths, linkPath } from "../../config/paths.ts";
import { currentLaunch } from "../../launch/decide.ts";
import { lastingPath } from "../../launch/find.ts";
import { type ProviderLaunch, shellWord } from "../../providers/identity.ts";
import { providerHere } from "../../providers/presets.ts";
import { docsPage } from "../../repository.ts";
import { createLog } from "../../terminal/log.ts";
import { prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG, PROVIDER_OR_CURRENT } from "../shared.ts";

const DESCRIPTION = `Set up a provider for Claude Code in VS Code and JetBrains: makes a link to ccc that means this
provider, and prints the settings that make the editor use it. No key is in them.

JSON
  { name, program, vscode, jetbrains }, explained in
  ${docsPage("providers.md#editors")}`;

export function editorCommand(world: World) {
  return defineCommand({
    meta: { name: "editor", description: DESCRIPTION },
    args: { name: PROVIDER_OR_CURRENT, json: JSON_FLAG },
    run: ({ args }) => {
      const loaded = loadConfig(world);
      const name = providerHere(args.name, loaded, world);
      const launch = currentLaunch(world, loaded, name);
      const program = linkPath(cccPaths(world), name, world.platform);
      world.files.linkProgram(program, lastingPath(world));
      const setup = { name, program, ...editorSettings(program, launch, world) };
      world.stdout(args.json ? prettyJson(setup) : text(setup));
      const log = createLog(world);
      if (launch.problem !== undefined) log.warn(launch.problem.message);
      const block = Object.values({ ...loaded.config.settings?.env, ...loaded.providers.get(name)?.env });
      for (const variable of neededVariables(launch, block))
        log.info(`${variable} must be set in the editor too: start the editor from a shell that sets it`);
    },
  });
}

interface EditorSettings {
  /** For the settings.json of VS Code. */
  readonly vscode: Readonly<Record<string, unknown>>;
  /** For the field "Claude command". */
  readonly jetbrains: string;
}

/** What makes an editor start Claude Code through a program. An editor does not have the variables of this shell. */
export function editorSettings(
  program: string,
  { usesLogin }: Pick<ProviderLaunch, "usesLogin">,
  { env, platform }: Pick<World, "env" | "platform">,
): EditorSettings {
  const folders = ["CCC_CONFIG_DIR", "CLAUDE_CONFIG_DIR"].flatMap((name) =>
    env[name] ? [{ name, value: env[name] }] : [],
  );
  return {
    vscode: {
      [EDITOR_SETTINGS.wrapper]: program,
      ...(usesLogin ? {} : { [EDITOR_SETTINGS.noLogin]: true }),
      ...(folders.length === 0 ? {} : { [EDITOR_SETTINGS.variables]: folders }),
    },
    // The field is a command line for a terminal.
    jetbrains: platform === "win32" ? program : shellWord(program),
  };
}

function neededVariables({ reference }: ProviderLaunch, values: readonly unknown[]): string[] {
  const inReference = reference?.reference.startsWith("env:") ? [reference.reference.slice("env:".length)] : [];
  return [...new Set([...namedIn(values), ...inReference])];
}

function text({ vscode, jetbrains }: EditorSettings): string {
  return `VS Code and editors based on it: settings.json
${prettyJson(vscode)}
JetBrains: Settings > Tools > Claude Code > Claude command
${jetbrains}
`;
}
