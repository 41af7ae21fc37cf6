import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, type Json } from "../../src/text/json.ts";
import type { Place } from "../harness.ts";
import { killMarked, MARK } from "./processes.ts";
import type { Scene } from "./scene.ts";

export interface HookResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it was killed at the time limit. */
  readonly isHung: boolean;
}

const PATIENCE_MS = 60_000;

/** Runs a hook of the last supervised launch, as Claude Code would if it had not ended. */
export type RunHook = (event: string, input: object) => Promise<HookResult>;

export async function generatedHooks({ place, mark }: Scene): Promise<RunHook> {
  const settings = await supervisedSettings(place);
  return async (event, input) => {
    const [group] = asObject(settings.hooks)[event] as Json[];
    const [hook] = asObject(group).hooks as { command: string; args?: string[] }[];
    if (hook === undefined) throw new Error(`the generated settings have no ${event} hook`);
    const command = hook.args === undefined ? ["/bin/sh", "-c", hook.command] : [hook.command, ...hook.args];
    const env = { ...(asObject(settings.env) as Record<string, string>), CLAUDE_PROJECT_DIR: place.project };
    const child = Bun.spawn(command, {
      cwd: place.project,
      env: { ...place.env, ...env, [MARK]: mark },
      stdin: new Blob([JSON.stringify({ hook_event_name: event, cwd: place.project, ...input })]),
      stdout: "pipe",
      stderr: "pipe",
    });
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      void killMarked(mark);
    }, PATIENCE_MS);
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    clearTimeout(timer);
    return { stdout, stderr, isHung };
  };
}

/** The agent's settings of such a launch, with the id of the last one. */
async function supervisedSettings(place: Place): Promise<Json> {
  const folder = place.at(".claude/ccc/launches");
  const last = readdirSync(folder).find((name) => /^[0-9a-f]{32}\.json$/.test(name)) ?? "";
  const { id } = asObject(JSON.parse(readFileSync(join(folder, last), "utf8")));
  const { stdout } = await place.ccc(["--dry-run", "--json", "--supervisor", "glm", "-p", "x"]);
  const { files } = asObject(JSON.parse(stdout.replaceAll(/--launch=[0-9a-f-]+/g, `--launch=${id}`)));
  const [agent] = files as Json[];
  return asObject(agent?.content);
}
