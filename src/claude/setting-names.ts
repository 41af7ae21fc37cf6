/** Settings of Claude Code 2.1.325 by type. A value of another type makes it drop the whole file. */

export const TEXTS = names(`
  $schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh awsCredentialExport claudeMd
  gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle plansDirectory pluginTrustMessage processWrapper
  proxyAuthHelper prUrlTemplate requiredMaximumVersion requiredMinimumVersion timeFormat timeZone`);

export const FLAGS = names(`
  agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp alwaysThinkingEnabled autoCompactEnabled
  autoDreamEnabled autoMemoryEnabled autoScrollEnabled awaySummaryEnabled bashEditDiffEnabled clawdFileProgressEnabled
  disableAllHooks disableReplyCheck doneMeansMerged emojiCompletionEnabled fastMode fileCheckpointingEnabled
  forceRemoteSettingsRefresh idleCompaction includeCoAuthoredBy includeGitInstructions inputNeededNotifEnabled
  precomputeCompactionEnabled prefersReducedMotion promptSuggestionEnabled respectGitignore respondToBashCommands
  showClearContextOnPlanAccept showMessageTimestamps showThinkingSummaries showTurnDuration spinnerTipsEnabled
  switchModelsOnFlag syntaxHighlightingDisabled terminalProgressBarEnabled terminalTitleFromRename todoFeatureEnabled
  totalTokensReminderAfterUserTurn verbose wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
  wslInheritsWindowsSettings`);

export const FLAGS_OR_NULL = names(`
  allowManagedHooksOnly allowManagedMcpServersOnly allowManagedPermissionRulesOnly autoContinueAtUsageLimit
  autoUploadSessions axScreenReader channelsEnabled disableAgentView disableArtifact disableBundledSkills
  disableClaudeAiConnectors disableCommandPluginSources disableRemoteControl disableSideloadFlags
  disableSkillShellExecution disableWindowsBashCommandSplit disableWorkflows enableAllProjectMcpServers enableArtifact
  enableWorkflows enforceAvailableModels fastModePerSessionOptIn isolatePeerMachines remoteControlAtStartup
  responseComparisonEnabled skipAutoPermissionPrompt skipDangerousModePermissionPrompt skipWebFetchPreflight
  skipWorkflowUsageWarning syncClaudeAiPlugins syncClaudeAiSkills useAutoModeDuringPlan voiceEnabled`);

export const LISTS_OF_TEXTS = names(`
  allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel httpHookAllowedEnvVars
  pluginSuggestionMarketplaces`);

export const LISTS = names("allowedChannelPlugins sshConfigs");

export const LISTS_OR_NULL = names("allowedMarketplaces blockedMarketplaces strictKnownMarketplaces");

export const SANDBOX_FLAGS = names(`
  allowAppleEvents allowNestedUserNamespaces allowUnsandboxedCommands autoAllowBashIfSandboxed enabled
  enableWeakerNestedSandbox enableWeakerNetworkIsolation failIfUnavailable`);

function names(words: string): readonly string[] {
  return words.trim().split(/\s+/);
}
