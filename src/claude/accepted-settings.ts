/** Which settings Claude Code accepts. */
import * as v from "valibot";
import { usageError } from "../errors.ts";
import { isObject, type Json } from "../text/json.ts";
import { isUrl } from "./connection.ts";

/**
 * Finds the mistakes that make Claude Code 2.1.325 drop a whole settings file, including the provider and its hooks, each
 * with its path; as measured. Unknown settings pass, and so do mistakes for which it drops a single setting. The schema is
 * built here, once for several settings, because that takes as long as an empty program.
 */
export function settingsChecker(): (settings: Json, field: string) => string[] {
  const schema = acceptedSettings();
  return (settings, field) => {
    const { issues = [] } = v.safeParse(schema, settings);
    // Every schema has its own message: valibot's would quote the value, which may be a key.
    return issues.map((issue) => `${[field, v.getDotPath(issue)].filter(Boolean).join(".")}: ${issue.message}`);
  };
}

/** Refuses `--settings` that Claude Code would not load. */
export function refuseSettings(settings: Json): void {
  const problems = settingsChecker()(settings, "");
  if (problems.length === 0) return;
  const advice = "Claude Code would ignore all of these settings. Correct them.";
  throw usageError(`--settings: ${problems.join("\n--settings: ")}`, advice);
}

const text = v.string("must be a string");
const flag = v.boolean("must be true or false");
const texts = v.array(text, "must be a list of strings");
const list = v.array(v.unknown(), "must be a list");
const number = v.number("must be a number");
const time = v.pipe(text, v.regex(/^([01]?\d|2[0-3]):[0-5]\d$/, 'must be a time like "22:00"'));

function permissions() {
  return object({
    ...each(["allow", "deny", "ask", "additionalDirectories"], texts),
    ...each(["blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories"], flag),
    ...each(["blockFileToolReadsOutsideWorkingDirectories", "denyInsteadOfPrompting"], flag),
    ...each(["disableBypassPermissionsMode", "disableAutoMode"], choice("disable")),
    defaultMode: choice("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"),
  });
}

function hook() {
  return v.pipe(
    object({ command: text, timeout: over(0) }, { type: text }),
    v.check(({ type, command }) => type !== "command" || command !== undefined, "must have a command"),
  );
}

function hooks() {
  return record(
    v.array(
      object({ matcher: text }, { hooks: v.array(hook(), "must be a list of hooks") }),
      "must be a list of objects with hooks",
    ),
  );
}

function sandbox() {
  return object({
    ...each(SANDBOX_FLAGS, flag),
    excludedCommands: texts,
    ignoreViolations: record(texts),
    network: object({
      ...each(["allowedDomains", "deniedDomains", "allowUnixSockets", "allowMachLookup"], texts),
      ...each(["strictAllowlist", "allowManagedDomainsOnly", "allowAllUnixSockets", "allowLocalBinding"], flag),
      ...each(["httpProxyPort", "socksProxyPort"], number),
      tlsTerminate: object({}),
    }),
    filesystem: object({
      ...each(["allowWrite", "denyWrite", "denyRead", "allowRead"], texts),
      ...each(["allowManagedReadPathsOnly", "disabled"], flag),
    }),
    credentials: object({}),
    ripgrep: object({ args: texts }, { command: text }),
  });
}

function acceptedSettings() {
  return object({
    ...each(TEXTS, text),
    ...each(FLAGS, flag),
    ...each(FLAGS_OR_NULL, v.nullable(flag)),
    ...each(LISTS_OF_TEXTS, texts),
    ...each(LISTS, list),
    ...each(LISTS_OR_NULL, v.nullable(list)),
    ...each(["enabledMcpjsonServers", "disabledMcpjsonServers"], v.union([text, texts], "must be a list of strings")),
    ...each(["parentSettingsBehavior", "managedSourcesBehavior"], choice("first-wins", "merge")),
    ...each(["cleanupPeriodDays", "skillListingMaxDescChars", "totalTokensReminderBudget"], wholeNumber(1)),
    env: v.nullable(record(v.union([v.string(), v.number(), v.boolean()], "must be a string, a number or a boolean"))),
    attribution: v.union([v.boolean(), object({ commit: text, pr: text, sessionUrl: flag })], "must be an object"),
    autoMode: object({
      ...each(["allow", "soft_deny", "hard_deny", "environment"], texts),
      classifyAllShell: flag,
    }),
    breakReminder: object({
      ...each(["intervalMinutes", "breakThresholdMinutes"], wholeNumber(1)),
      enabled: flag,
      message: text,
    }),
    autoUpdatesChannel: choice("latest", "stable", "rc"),
    daemonColdStart: choice("transient", "ask"),
    defaultShell: choice("bash", "powershell"),
    defaultView: choice("chat", "transcript"),
    desktopSessionCleanupPeriodDays: wholeNumber(0),
    disableAutoMode: v.nullable(choice("disable")),
    disableDeepLinkRegistration: choice("disable"),
    enabledPlugins: record(v.union([v.boolean(), texts], "must be true, false or a list of strings")),
    feedbackDrafts: v.nullable(choice("notify", "quiet", "off")),
    feedbackSurveyRate: v.pipe(number, v.minValue(0, "must be from 0 to 1"), v.maxValue(1, "must be from 0 to 1")),
    fileSuggestion: object({}, { type: choice("command"), command: text }),
    forceLoginOrgUUID: v.union([text, texts], "must be a string or a list of strings"),
    hooks: hooks(),
    modelOverrides: record(text),
    permissions: permissions(),
    pluginConfigs: record(object({})),
    quietHours: object({ ...each(["start", "end"], time), enabled: flag }),
    remote: object({ defaultEnvironmentId: text }),
    remoteTools: object({ allowUnattendedServing: flag }),
    sandbox: sandbox(),
    skillListingBudgetFraction: v.pipe(over(0), v.maxValue(1, "must be at most 1")),
    skillOverrides: record(choice("on", "name-only", "user-invocable-only", "off")),
    spinnerVerbs: object({}, { mode: choice("append", "replace"), verbs: texts }),
    statusLine: object({ padding: number, hideVimModeIndicator: flag }, { type: choice("command"), command: text }),
    totalTokensReminder: choice("off", "infinite", "fixed", "countdown", "padded-countdown"),
    tui: choice("default", "fullscreen"),
    voice: object({ ...each(["enabled", "autoSubmit"], flag), mode: choice("hold", "tap") }),
    workflowSizeGuideline: choice("unrestricted", "small", "medium", "large"),
    worktree: object({ ...each(["symlinkDirectories", "sparsePaths"], texts), baseRef: choice("fresh", "head") }),
  });
}

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** An object that may have further keys. valibot alone would accept a list. */
function object(optional: Entries, required: Entries = {}) {
  const entries = Object.entries(optional).map(([name, schema]) => [name, v.optional(schema)] as const);
  return v.pipe(
    v.custom<Json>(isObject, "must be an object"),
    v.looseObject({ ...Object.fromEntries(entries), ...required }, "is missing"),
  );
}

function record(value: v.GenericSchema) {
  return v.pipe(v.custom<Json>(isObject, "must be an object"), v.record(v.string(), value));
}

function each(keys: readonly string[], schema: v.GenericSchema): Entries {
  return Object.fromEntries(keys.map((key) => [key, schema]));
}

function choice(...words: string[]) {
  return v.picklist(words, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);
}

function wholeNumber(least: number) {
  const message = `must be a whole number of at least ${least}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message));
}

function over(bound: number) {
  const message = `must be a number above ${bound}`;
  return v.pipe(v.number(message), v.gtValue(bound, message));
}

/** Settings of Claude Code 2.1.325 by type. A value of another type makes it drop the whole file. */
const TEXTS = wordsOf(`
  $schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh awsCredentialExport claudeMd
  gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle plansDirectory pluginTrustMessage processWrapper
  proxyAuthHelper prUrlTemplate requiredMaximumVersion requiredMinimumVersion timeFormat timeZone`);

const FLAGS = wordsOf(`
  agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp alwaysThinkingEnabled autoCompactEnabled
  autoDreamEnabled autoMemoryEnabled autoScrollEnabled awaySummaryEnabled bashEditDiffEnabled clawdFileProgressEnabled
  disableAllHooks disableReplyCheck doneMeansMerged emojiCompletionEnabled fastMode fileCheckpointingEnabled
  forceRemoteSettingsRefresh idleCompaction includeCoAuthoredBy includeGitInstructions inputNeededNotifEnabled
  precomputeCompactionEnabled prefersReducedMotion promptSuggestionEnabled respectGitignore respondToBashCommands
  showClearContextOnPlanAccept showMessageTimestamps showThinkingSummaries showTurnDuration spinnerTipsEnabled
  switchModelsOnFlag syntaxHighlightingDisabled terminalProgressBarEnabled terminalTitleFromRename todoFeatureEnabled
  totalTokensReminderAfterUserTurn verbose wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
  wslInheritsWindowsSettings`);

const FLAGS_OR_NULL = wordsOf(`
  allowManagedHooksOnly allowManagedMcpServersOnly allowManagedPermissionRulesOnly autoContinueAtUsageLimit
  autoUploadSessions axScreenReader channelsEnabled disableAgentView disableArtifact disableBundledSkills
  disableClaudeAiConnectors disableCommandPluginSources disableRemoteControl disableSideloadFlags
  disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows enableAllProjectMcpServers enableArtifact
  enableWorkflows enforceAvailableModels fastModePerSessionOptIn isolatePeerMachines remoteControlAtStartup
  responseComparisonEnabled skipAutoPermissionPrompt skipDangerousModePermissionPrompt skipWebFetchPreflight
  skipWorkflowUsageWarning syncClaudeAiPlugins syncClaudeAiSkills useAutoModeDuringPlan voiceEnabled`);

const LISTS_OF_TEXTS = wordsOf(`
  allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel httpHookAllowedEnvVars
  pluginSuggestionMarketplaces`);

const LISTS = wordsOf("allowedChannelPlugins sshConfigs");

const LISTS_OR_NULL = wordsOf("allowedMarketplaces blockedMarketplaces strictKnownMarketplaces");

const SANDBOX_FLAGS = wordsOf(`
  allowAppleEvents allowNestedUserNamespaces allowUnsandboxedCommands autoAllowBashIfSandboxed enabled
  enableWeakerNestedSandbox enableWeakerNetworkIsolation failIfUnavailable`);

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Environment variables in settings. Claude Code wants strings; ccc also accepts numbers and booleans. */
const EnvSchema = v.objectWithRest(
  {
    ANTHROPIC_BASE_URL: v.pipe(
      v.optional(v.pipe(v.string("must be a URL"), v.check(isUrl, "must be a URL"))),
      v.description("The provider's base URL. Default: Anthropic's."),
    ),
  },
  v.pipe(
    v.union([v.string(), v.number(), v.boolean()], "must be a string, a number or a boolean"),
    v.description(
      "Any environment variable of Claude Code. Instead of a key, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_API_KEY may say " +
        "where it is: env:NAME, file:PATH, cmd:COMMAND or keychain:NAME.",
    ),
  ),
  "must be an object",
);

/** Claude Code settings. ccc knows the few keys that it uses and keeps all others. */
export const SettingsSchema = v.looseObject(
  {
    env: v.pipe(
      v.nullish(EnvSchema),
      v.description(
        "Environment variables for Claude Code. ${NAME} is replaced from your environment; numbers and booleans become strings.",
      ),
    ),
    apiKeyHelper: v.pipe(
      v.optional(v.string("must be a string")),
      v.description("A command that prints the key. Claude Code runs it; use it instead of a key in env."),
    ),
  },
  "must be an object",
);

export type Settings = v.InferOutput<typeof SettingsSchema>;

/** Whether a key is the name of an environment variable. No setting of Claude Code is spelled like that. */
export function isVariableName(key: string): boolean {
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(key) || /^(anthropic|claude_code)_/i.test(key);
}
