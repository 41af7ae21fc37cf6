import { inEveryRole, type Models } from "../claude/models.ts";
import type { PlaceholderKey } from "./variables.ts";

/** Anthropic itself. */
export const ANTHROPIC_PRESETS: readonly Preset[] = [
  {
    name: "anthropic",
    label: "Anthropic, with your Claude login",
    aliases: ["claude", "官方"],
    source: "https://code.claude.com/docs/es/authentication.md",
    asOf: "2026-11-16",
  },
  {
    name: "anthropic-api",
    label: "Anthropic, with an API key",
    aliases: ["claude", "官方"],
    token: "ANTHROPIC_API_KEY",
    keyUrl: "https://platform.claude.com",
    source: "https://code.claude.com/docs/de/env-vars",
    asOf: "2026-11-16",
  },
];

/** Claude on the clouds of other companies. */
export const CLAUDE_CLOUD_PRESETS: readonly Preset[] = [
  {
    name: "bedrock",
    label: "Amazon Bedrock",
    aliases: ["aws", "amazon", "亚马逊"],
    asks: ["AWS_REGION"],
    extraEnv: { CLAUDE_CODE_USE_BEDROCK: "1" },
    source: "https://answerqa.com/ai/claude-code-on-amazon-bedrock/",
    asOf: "2026-11-16",
    note: "Checked by its author 2026-05-12. Uses the AWS credentials of the machine.",
  },
  {
    name: "vertex",
    label: "Google Vertex AI",
    aliases: ["gcp", "google", "谷歌"],
    asks: ["ANTHROPIC_VERTEX_PROJECT_ID"],
    extraEnv: { CLAUDE_CODE_USE_VERTEX: "1", CLOUD_ML_REGION: "global" },
    source:
      "https://spybara.com/anthropic/claude-code/history/docs/en/2026-04-23-1819..2026-04-24-1811/google-vertex-ai/",
    asOf: "2026-11-16",
    note: "A copy of Anthropic's page of 2026-04. Uses the Google credentials of the machine.",
  },
];

/** A model as most providers' instructions set it. */
export function inFourRoles(model: string): Models {
  return { main: model, opus: model, sonnet: model, haiku: model };
}

/** Allows long answers, and sends nothing to Anthropic. */
const LONG_AND_QUIET = { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };

const MINIMAX = ["稀宇", "稀宇科技", "海螺"];

/** One address for two kinds of keys, which get different models. */
const MINIMAX_PRESETS: readonly Preset[] = [
  {
    name: "minimax",
    label: "MiniMax, pay as you go or Token Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimax.io/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.io/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/token-plan/claude-code.md",
    asOf: "2026-11-16",
    note: "The model is from platform.minimax.io/docs/token-plan/agent-setup, its window from docs/guides/text-generation.",
  },
  {
    name: "minimax-cn",
    label: "MiniMax, China, pay as you go or Token Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimaxi.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.cn/user-center/payment/token-plan",
    source: "https://platform.minimaxi.com/docs/token-plan/claude-code.md",
    asOf: "2026-11-16",
    note: "The model is from platform.minimaxi.com/docs/token-plan/agent-setup.md.",
  },
  {
    name: "minimax-plan",
    label: "MiniMax M Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimax.io/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3.1-Flash-Preview[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.io/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/m-plan/claude-code",
    asOf: "2026-11-16",
    note: "Only a key of this plan is served M3.1. The window is from platform.minimax.io/docs/guides/text-generation.",
  },
  {
    name: "minimax-plan-cn",
    label: "MiniMax M Plan, China",
    aliases: MINIMAX,
    baseUrl: "https://api.minimaxi.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3.1-Flash-Preview[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.cn/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/m-plan/claude-code",
    asOf: "2026-11-16",
    note: "The international page; the Chinese one was not accessible.",
  },
];

const KIMI = ["moonshot", "月之暗面", "月暗", "暗面"];
const ZHIPU = ["zhipu", "bigmodel", "z.ai", "智谱", "智谱清言", "智谱AI"];
const STEPFUN = ["阶跃", "阶跃星辰"];
const MIMO = ["xiaomi", "小米"];

const GLM_MODELS: Models = { opus: "glm-5.3[1m]", sonnet: "glm-5.3[1m]", haiku: "glm-5.3-flash[1m]" };

/** Companies that serve their own models. */
export const LAB_PRESETS: readonly Preset[] = [
  {
    name: "kimi",
    label: "Kimi (Moonshot AI)",
    aliases: KIMI,
    baseUrl: "https://api.moonshot.ai/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("kimi-k3[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.kimi.ai/console/api-keys",
    source: "https://platform.kimi.ai/docs/guide/claude-code-kimi",
    asOf: "2026-11-16",
    note: "The page as quoted in github.com/pleaseai/shunt/pull/196, 2026-07; the page itself was not accessible.",
  },
  {
    name: "kimi-cn",
    label: "Kimi (Moonshot AI), China",
    aliases: KIMI,
    baseUrl: "https://api.moonshot.cn/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("kimi-k3[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.kimi.com/console/api-keys",
    source: "https://docs.rs/crate/rig-core/0.44.0/source/src/providers/moonshot.rs",
    asOf: "2026-11-16",
    note: "From a client library's table of addresses and models, not from a page of Moonshot's.",
  },
  {
    name: "kimi-code",
    label: "Kimi Code membership, 1M context",
    aliases: KIMI,
    baseUrl: "https://api.kimi.com/coding/",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("k3[1m]"),
    contextWindow: 1_048_576,
    compactWindow: 1_048_576,
    extraEnv: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "1048576" },
    keyUrl: "https://www.kimi.com/code/console",
    source: "https://www.kimi.com/code/docs/en/third-party-tools/other-coding-agents.html",
    asOf: "2026-11-16",
    note: "The page as quoted in github.com/eltmon/overdeck/issues/2859, 2026-07. For the plans from Allegretto on.",
  },
  {
    name: "kimi-code-256k",
    label: "Kimi Code membership, smaller plans",
    aliases: KIMI,
    baseUrl: "https://api.kimi.com/coding/",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("k3-256k"),
    contextWindow: 262_144,
    compactWindow: 262_144,
    keyUrl: "https://www.kimi.com/code/console",
    source: "https://www.kimi.com/code/docs/en/kimi-code/models.html",
    asOf: "2026-11-16",
    note: "Model and window as the server lists them, github.com/anomalyco/models.dev/pull/3698, 2026-07.",
  },
  {
    name: "glm",
    label: "GLM (Z.ai)",
    aliases: ZHIPU,
    baseUrl: "https://api.z.ai/api/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: GLM_MODELS,
    contextWindow: 1_048_576,
    compactWindow: 1_000_000,
    extraEnv: { API_TIMEOUT_MS: "3000000" },
    keyUrl: "https://z.ai/manage-apikey/apikey-list",
    source: "https://docs.z.ai/devpack/tool/claude",
    asOf: "2026-11-16",
    note: "The compact window is from docs.z.ai/devpack/latest-model.md, as of GLM-5.2.",
  },
  {
    name: "glm-cn",
    label: "GLM (Zhipu BigModel), China",
    aliases: ZHIPU,
    baseUrl: "https://open.bigmodel.cn/api/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: GLM_MODELS,
    contextWindow: 1_048_576,
    compactWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://bigmodel.cn/coding-plan/personal/overview",
    source: "https://docs.bigmodel.cn/cn/coding-plan/latest-model.md",
    asOf: "2026-11-16",
    note: "The page is of GLM-5.2; the models are those of docs.z.ai/devpack/tool/claude, the same plan abroad.",
  },
  ...MINIMAX_PRESETS,
  {
    name: "deepseek",
    label: "DeepSeek",
    aliases: ["深度求索"],
    baseUrl: "https://api.deepseek.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: {
      main: "deepseek-flash[1m]",
      opus: "deepseek-flash[1m]",
      sonnet: "deepseek-flash[1m]",
      haiku: "deepseek-flash",
      subagent: "deepseek-flash",
    },
    contextWindow: 1_000_000,
    compactWindow: 786_432,
    keyUrl: "https://platform.deepseek.com/api_keys",
    source: "https://api-docs.deepseek.com/quick_start/agent_integrations/claude_code.md",
    asOf: "2026-11-16",
    note: "The guide's maximum effort is left out.",
  },
  {
    name: "longcat",
    label: "LongCat (Meituan)",
    aliases: ["meituan", "美团", "龙猫"],
    baseUrl: "https://api.longcat.chat/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("LongCat-2.0"),
    contextWindow: 1_048_576,
    extraEnv: { CLAUDE_CODE_MAX_OUTPUT_TOKENS: "131072", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    keyUrl: "https://longcat.chat/platform/api_keys",
    source: "https://longcat.chat/platform/docs/claude-code",
    asOf: "2026-11-16",
    note: "The window is from docs.openclaw.ai/ar/providers/longcat.",
  },
  {
    name: "stepfun",
    label: "StepFun Step Plan",
    aliases: STEPFUN,
    baseUrl: "https://api.stepfun.ai/step_plan",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("step-3.7-flash"),
    contextWindow: 256_000,
    keyUrl: "https://platform.stepfun.ai/interface-key",
    source: "https://github.com/farion1231/cc-switch/pull/6362",
    asOf: "2026-11-16",
    note: "A switcher's change of 2026-08 that was tried with Claude Code. The window is from github.com/anomalyco/models.dev.",
  },
  {
    name: "stepfun-cn",
    label: "StepFun Step Plan, China",
    aliases: STEPFUN,
    baseUrl: "https://api.stepfun.com/step_plan",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("step-3.7-flash"),
    contextWindow: 256_000,
    keyUrl: "https://platform.stepfun.com/interface-key",
    source: "https://platform.stepfun.com/docs/zh/step-plan/integrations/reasoning-api.md",
    asOf: "2026-11-16",
    note: "The window is from github.com/anomalyco/models.dev.",
  },
  {
    name: "mimo",
    label: "MiMo (Xiaomi), pay as you go",
    aliases: MIMO,
    baseUrl: "https://api.xiaomimimo.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("mimo-v2.5-pro[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.xiaomimimo.com/#/console/api-keys",
    source: "https://platform.xiaomimimo.com/docs/en-US/integration/claudecode",
    asOf: "2026-11-16",
    note: "For keys that begin with sk-. The window is from github.com/anomalyco/models.dev.",
  },
  {
    name: "mimo-plan",
    label: "MiMo (Xiaomi) Token Plan",
    aliases: MIMO,
    baseUrl: "https://token-plan-cn.xiaomimimo.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("mimo-v2.5-pro[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.xiaomimimo.com/#/console/plan-manage",
    source: "https://platform.xiaomimimo.com/docs/en-US/integration/claudecode",
    asOf: "2026-11-16",
    note: "For keys that begin with tp-. The plan's page shows its address: outside of China, give it with --base-url.",
  },
];

/** Everything ccc knows about a provider: its env block except the key. Plain data. */
export interface Preset {
  readonly name: string;
  readonly label: string;
  /** Other names that people search for, such as Chinese ones. */
  readonly aliases?: readonly string[];
  /** Absent if Claude Code needs none, or if only the user knows it. */
  readonly baseUrl?: string;
  /** There is no fixed address: the user must enter one. */
  readonly asksBaseUrl?: true;
  /** What that address looks like; {…} stands for a part that only the user knows, and may be entered alone. */
  readonly baseUrlForm?: string;
  /** The variable for the key. Absent if a login or cloud credentials are used. */
  readonly token?: "ANTHROPIC_AUTH_TOKEN" | "ANTHROPIC_API_KEY";
  /** A placeholder for servers that need no key. Claude Code requires one anyway. */
  readonly tokenDefault?: PlaceholderKey;
  /** Other variables that the user must fill in. */
  readonly asks?: readonly string[];
  /** As in the provider's instructions; "main" only if they set it separately. The fable role is opus's unless set. */
  readonly models?: Models;
  /** The main model's, in tokens. */
  readonly contextWindow?: number | undefined;
  /** Within how many tokens a conversation is compacted. */
  readonly compactWindow?: number | undefined;
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Where to get a key. */
  readonly keyUrl?: string;
  /** Where these facts come from, and their date. */
  readonly source: string;
  readonly asOf: string;
  /** What the source leaves open, and where the rest comes from. */
  readonly note?: string;
}
