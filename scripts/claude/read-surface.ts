import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { getClaude, programFile } from "./get-claude.ts";
import { helpCommands, helpOptions, hookEventsIn, type Surface, settingsIn, variablesIn } from "./surface.ts";

/** Gets a version of Claude Code and looks at its help, its text and its first request to a model on this machine. */
export async function readSurface(version: string): Promise<Surface> {
  const claude = await getClaude(version);
  const home = await mkdtemp(join(tmpdir(), "claude-surface-"));
  const sandbox = startSandbox(() => ({ say: "ok" }));
  try {
    const env = {
      HOME: home,
      PATH: process.env.PATH,
      COLUMNS: "400",
      ANTHROPIC_BASE_URL: sandbox.url,
      ANTHROPIC_AUTH_TOKEN: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    };
    const run = (args: readonly string[]) =>
      Bun.$`${claude} ${args} < /dev/null`.cwd(home).env(env).quiet().nothrow().text();
    const help = await run(["--help"]);
    await run(["-p", "hi"]);
    const first = sandbox.received.find(({ role }) => role === "agent");
    const program = Buffer.from(await Bun.file(programFile(version)).arrayBuffer()).toString("latin1");
    return {
      version,
      options: helpOptions(help),
      commands: helpCommands(help),
      hookEvents: hookEventsIn(program),
      settings: settingsIn(program),
      variables: variablesIn(program),
      tools: (first?.body.tools ?? []).map(({ name }) => name).sort(),
      betas: (first?.headers["anthropic-beta"] ?? "").split(",").filter(Boolean).sort(),
      fields: Object.keys(first?.body ?? {}).sort(),
    };
  } finally {
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  }
}
