import { withStatusLine } from "../claude/status-line-setting.ts";
import { STATUS_COMMAND } from "../marks.ts";
import { type LaunchSituation, type Plan, settingsFile, withSettings } from "./plan.ts";
import { statusCommandLine } from "./status-command.ts";

/** The plan of a session in the terminal with ccc's status line, unless the user has one. */
export function statusLinePlan(plan: Plan, situation: LaunchSituation, isSupervised: boolean): Plan {
  const given = plan.settings.agent;
  if (hasStatusLine(plan, situation)) return plan;
  const { self, provider, paths } = situation;
  const how = isSupervised ? SUPERVISED : PLAIN;
  const command = statusCommandLine(self, [
    ...[STATUS_COMMAND, "--provider", provider, "--config-dir", paths.folder],
    how.flag,
  ]);
  if (command === undefined) return plan;
  const content = withStatusLine(given.content, command, how.refreshSeconds);
  // Not the file of sessions without: Claude Code reads a file again when it changes.
  const agent = settingsFile(paths, provider, how.variant, content, plan.isShared);
  const files = plan.files.map((file) => (file === given ? agent : file));
  const args = withSettings(agent.path, situation.folded.args);
  return { ...plan, args, files, settings: { ...plan.settings, agent } };
}

/** What the reviewer does changes more often than a conversation that waits for its user. */
const SUPERVISED = { flag: "--supervisor", variant: "watched", refreshSeconds: 2 } as const;
const PLAIN = { flag: "--no-supervisor", variant: "shown", refreshSeconds: 5 } as const;

function hasStatusLine({ settings: { agent } }: Plan, { layers }: LaunchSituation): boolean {
  if (Object.hasOwn(agent.content, "statusLine")) return true;
  for (const layer of layers.settings) if (layer.statusLine !== undefined) return true;
  for (const layer of layers.managed) if (layer.statusLine !== undefined) return true;
  return false;
}
