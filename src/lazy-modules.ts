export { isatty } from "node:tty";
export { buildOf } from "./build-info.ts";
export { refuseSettings } from "./claude/accepted-settings.ts";
export { canWake } from "./claude/events.ts";
export { hookForm } from "./claude/versions.ts";
export { DETAILS, GUARD_HELP, HELP, STATUS_HELP } from "./cli/help.ts";
export { runHook } from "./cli/hooks.ts";
export { COMMANDS, runCommand } from "./cli/run-command.ts";
export { completeWords } from "./commands/completions/complete.ts";
export { offerProvider } from "./commands/provider/add.ts";
export { versionLine } from "./commands/version.ts";
export { checkConfig } from "./config/check.ts";
export { rememberProvider } from "./config/edit.ts";
export { launchPins, otherProviderProblem } from "./config/pins.ts";
export { assumedVersion, claudeVersion, proveSettings } from "./launch/ask-claude.ts";
export { describePlan, printablePlan } from "./launch/show.ts";
export { runChild } from "./os/child.ts";
export { diskFiles, makeScratch } from "./os/disk.ts";
export { windowsEnvironment } from "./os/process.ts";
export { readStdin, stdinWriter, writeOut } from "./os/stdio.ts";
export { keychainOf, queryDatabase } from "./os/stores.ts";
export { checkReferences, withResolvedEnv } from "./providers/keys.ts";
export { PRESET_NAMES } from "./providers/presets.ts";
export { launchLoop, loopArguments, loopPlan } from "./supervisor/loop/engine.ts";
export { runPrint, waitsForEnd } from "./supervisor/print.ts";
export { resumedProvider } from "./supervisor/record/resumed.ts";
export { withoutKnownSecrets } from "./supervisor/secrets.ts";
export {
  pinnedReviewers,
  plannedHandOver,
  plannedReviewers,
  planSupervision,
  refuseWithoutHooks,
  supervisePlan,
  withHandOver,
} from "./supervisor/setup/plan.ts";
export { prepareSupervision } from "./supervisor/setup/prepare.ts";
export { terminalAsk } from "./terminal/ask.ts";
export { listenToTyping, openKeyboard } from "./terminal/input.ts";
export { createLog, terminalColumns } from "./terminal/log.ts";
export { prettyJson } from "./text/json.ts";
export { outputWidth } from "./text/table.ts";
