import { CccError } from "../../errors.ts";
import type { Program, World } from "../../world.ts";

/** Lets the user edit a file. Throws if the editor fails. */
export async function runEditor(path: string, world: World): Promise<void> {
  const { exitCode } = await world.handOver(editorProgram(path, world));
  if (exitCode === 0) return;
  throw new CccError(`the editor \`${editorOf(world)}\` ended with exit code ${exitCode}; nothing was saved`, {
    advice: "For another editor, set VISUAL or EDITOR: EDITOR=nano ccc provider edit …",
  });
}

/** The variable is a command with arguments, such as `code --wait`. */
export function editorProgram(path: string, world: Pick<World, "env" | "platform">): Program {
  const { env, platform } = world;
  if (platform === "win32") {
    const words = editorOf(world).match(/"[^"]*"|\S+/g) ?? [];
    // Through cmd.exe, because many editors are started by a batch file.
    return { file: "cmd.exe", args: ["/d", "/c", ...words.map((word) => word.replaceAll('"', "")), path], env };
  }
  return { file: "/bin/sh", args: ["-c", `${editorOf(world)} "$1"`, "ccc", path], env };
}

function editorOf({ env, platform }: Pick<World, "env" | "platform">): string {
  return env.VISUAL || env.EDITOR || (platform === "win32" ? "notepad" : "vi");
}
