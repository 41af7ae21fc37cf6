import { inEveryRole, type Models } from "../claude/model.ts";

/** Everything ccc knows about a provider: its env block except the key. Plain data. */
export interface Preset {
  readonly name: string;
  readonly label: string;
  /** Absent if Claude Code needs none, or if only the user knows it. */
  readonly baseUrl?: string;
  /** There is no fixed address: the user must enter one. */
  readonly asksBaseUrl?: true;
  /** The variable for the key. Absent if a login or cloud credentials are used. */
  readonly token?: "ANTHROPIC_AUTH_TOKEN" | "ANTHROPIC_API_KEY";
  /** A placeholder for servers that need no key. Claude Code requires one anyway. */
  readonly tokenDefault?: string;
  /** Other variables that the user must fill in. */
  readonly asks?: readonly string[];
  /** As in the provider's instructions; "main" only if they set it separately. */
  readonly models?: Models;
  /** The main model's, in tokens. */
  readonly contextWindow?: number | undefined;
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Where to get a key. */
  readonly keyUrl?: string;
  /** Where these facts come from, and as of which day. */
  readonly source: string;
  readonly asOf: string;
  /** What the source leaves open, and where the rest comes from. */
  readonly note?: string;
}

export const PRESETS: readonly Preset[] = [
  {
    name: "anthropic",
    label: "Anthropic, with your Claude login",
    source: "https://code.claude.com/docs/es/authentication.md",
    asOf: "2026-11-16",
  },
  {
    name: "anthropic-api",
    label: "Anthropic, with an API key",
    token: "ANTHROPIC_API_KEY",
    keyUrl: "https://platform.claude.com",
    source: "https://code.claude.com/docs/de/env-vars",
    asOf: "2026-11-16",
  },
  {
    name: "kimi",
    label: "Kimi (Moonshot AI)",
    baseUrl: "https://api.moonshot.ai/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("kimi-k3[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.moonshot.ai/console/api-keys",
    source: "https://www.developersdigest.tech/setup/moonshot",
    asOf: "2026-11-16",
    note: "The page sums up Moonshot's own guide without the model names; those are from public code that follows it.",
  },
  {
    name: "kimi-cn",
    label: "Kimi (Moonshot AI), China",
    baseUrl: "https://api.moonshot.cn/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("kimi-k3[1m]"),
    contextWindow: 1_048_576,
    keyUrl: "https://platform.moonshot.cn/console/api-keys",
    source: "https://docs.rs/crate/rig-core/0.44.0/source/src/providers/moonshot.rs",
    asOf: "2026-11-16",
    note: "From a client library's table of addresses and models, not from a page of Moonshot's.",
  },
  {
    name: "kimi-code",
    label: "Kimi Code membership",
    baseUrl: "https://api.kimi.com/coding/",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("k3[1m]"),
    contextWindow: 1_048_576,
    extraEnv: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "1048576", CLAUDE_CODE_MAX_CONTEXT_TOKENS: "1048576" },
    keyUrl: "https://www.kimi.com/code/console",
    source: "https://github.com/eltmon/overdeck/issues/2859",
    asOf: "2026-11-16",
    note: "Quotes Kimi's guide, 2026-07. The 1M window is for the larger plans; smaller ones have k3-256k.",
  },
  {
    name: "glm",
    label: "GLM (Z.ai)",
    baseUrl: "https://api.z.ai/api/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { opus: "glm-5.3[1m]", sonnet: "glm-5.3[1m]", haiku: "glm-5.3-flash[1m]" },
    contextWindow: 1_048_576,
    extraEnv: { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_AUTO_COMPACT_WINDOW: "1000000" },
    keyUrl: "https://z.ai/manage-apikey/apikey-list",
    source: "https://www.developersdigest.tech/setup/zai",
    asOf: "2026-11-16",
    note: "The compact window is from docs.z.ai/devpack/latest-model.md, as of GLM-5.2.",
  },
  {
    name: "glm-cn",
    label: "GLM (Zhipu BigModel), China",
    baseUrl: "https://open.bigmodel.cn/api/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { opus: "glm-5.3[1m]", sonnet: "glm-5.3[1m]", haiku: "glm-4.5-air" },
    contextWindow: 1_048_576,
    extraEnv: { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    keyUrl: "https://bigmodel.cn/coding-plan/personal/overview",
    source: "https://docs.bigmodel.cn/cn/coding-plan/latest-model.md",
    asOf: "2026-11-16",
    note: "The page, of GLM-5.2, names that for opus and sonnet; GLM-5.3 has taken its place since 2026-08.",
  },
  {
    name: "minimax",
    label: "MiniMax",
    baseUrl: "https://api.minimax.io/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "MiniMax-M3[1m]", opus: "MiniMax-M3[1m]", sonnet: "MiniMax-M3[1m]", haiku: "MiniMax-M3[1m]" },
    contextWindow: 1_000_000,
    extraEnv: { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    keyUrl: "https://platform.minimax.io/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/coding-plan/claude-code",
    asOf: "2026-11-16",
    note: "The page, of M2.5, names that; M3 and its window are from platform.minimax.io/docs/guides/text-generation.md.",
  },
  {
    name: "minimax-cn",
    label: "MiniMax, China",
    baseUrl: "https://api.minimaxi.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "MiniMax-M3[1m]", opus: "MiniMax-M3[1m]", sonnet: "MiniMax-M3[1m]", haiku: "MiniMax-M3[1m]" },
    contextWindow: 1_000_000,
    extraEnv: { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    keyUrl: "https://platform.minimaxi.com/subscribe/token-plan",
    source: "https://platform.minimax.io/docs/coding-plan/claude-code",
    asOf: "2026-11-16",
    note: "The page, of M2.5, names that; M3 and its window are from platform.minimax.io/docs/guides/text-generation.md.",
  },
  {
    name: "deepseek",
    label: "DeepSeek",
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
    extraEnv: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "786432" },
    keyUrl: "https://platform.deepseek.com/api_keys",
    source: "https://www.developersdigest.tech/setup/deepseek/claude-code",
    asOf: "2026-11-16",
    note: "Repeats DeepSeek's guide, which had deepseek-v4-pro before. The guide's maximum effort is left out.",
  },
  {
    name: "qwen",
    label: "Qwen (Alibaba Model Studio), Singapore",
    baseUrl: "https://dashscope-intl.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "qwen3.7-max", opus: "qwen3.7-max", sonnet: "qwen3.7-max", haiku: "qwen3.6-flash" },
    keyUrl: "https://bailian.console.alibabacloud.com",
    source: "https://www.developersdigest.tech/setup/qwen/claude-code",
    asOf: "2026-11-16",
    note: "The address is from alibabacloud.com, 2026-03; newer guides have one for each workspace.",
  },
  {
    name: "qwen-cn",
    label: "Qwen (Alibaba Model Studio), Beijing",
    baseUrl: "https://dashscope.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "qwen3.7-max", opus: "qwen3.7-max", sonnet: "qwen3.7-max", haiku: "qwen3.6-flash" },
    keyUrl: "https://bailian.console.aliyun.com",
    source: "https://help.aliyun.com/zh/model-studio/claude-code",
    asOf: "2026-11-16",
    note: "The models are from developersdigest.tech/setup/qwen/claude-code.",
  },
  {
    name: "doubao",
    label: "Doubao (Volcengine Ark Coding Plan)",
    baseUrl: "https://ark.cn-beijing.volces.com/api/coding",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "ark-code-latest", opus: "ark-code-latest", sonnet: "ark-code-latest", haiku: "ark-code-latest" },
    keyUrl: "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
    source: "https://www.volcengine.com/article/38135",
    asOf: "2026-11-16",
    note: "The model behind ark-code-latest is chosen in Ark's console. The page sets the main model only.",
  },
  {
    name: "siliconflow",
    label: "SiliconFlow",
    baseUrl: "https://api.siliconflow.com/",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("deepseek-ai/DeepSeek-V4-Pro-0813"),
    keyUrl: "https://cloud.siliconflow.com/me/account/ak",
    source: "https://www.siliconflow.com/blog/deepseek-v4-pro-claude-code-siliconflow",
    asOf: "2026-11-16",
    note: "The page names the model; address and variable are from public code (cc-switch).",
  },
  {
    name: "openrouter",
    label: "OpenRouter",
    baseUrl: "https://openrouter.ai/api",
    token: "ANTHROPIC_AUTH_TOKEN",
    keyUrl: "https://openrouter.ai/keys",
    source: "https://www.developersdigest.tech/setup/openrouter/claude-code",
    asOf: "2026-11-16",
    note: "Serves Claude by Claude Code's own names, so no models are set.",
  },
  {
    name: "longcat",
    label: "LongCat (Meituan)",
    baseUrl: "https://api.longcat.chat/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "LongCat-2.0", opus: "LongCat-2.0", sonnet: "LongCat-2.0", haiku: "LongCat-2.0" },
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
    baseUrl: "https://api.stepfun.ai/step_plan",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("step-3.7-flash"),
    contextWindow: 262_144,
    keyUrl: "https://platform.stepfun.ai/interface-key",
    source: "https://github.com/farion1231/cc-switch/pull/6362",
    asOf: "2026-11-16",
    note: "From a switcher's change of 2026-08 that was tried with Claude Code, not from a guide of StepFun's.",
  },
  {
    name: "stepfun-cn",
    label: "StepFun Step Plan, China",
    baseUrl: "https://api.stepfun.com/step_plan",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("step-3.7-flash"),
    contextWindow: 262_144,
    keyUrl: "https://platform.stepfun.com/interface-key",
    source: "https://platform.stepfun.com/docs/zh/step-plan/integrations/reasoning-api.md",
    asOf: "2026-11-16",
    note: "The window is from github.com/farion1231/cc-switch/pull/6362.",
  },
  {
    name: "mimo",
    label: "MiMo (Xiaomi)",
    baseUrl: "https://api.xiaomimimo.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: {
      main: "mimo-v2.5-pro[1m]",
      opus: "mimo-v2.5-pro[1m]",
      sonnet: "mimo-v2.5-pro[1m]",
      haiku: "mimo-v2.5-pro[1m]",
    },
    contextWindow: 1_000_000,
    keyUrl: "https://platform.xiaomimimo.com/#/console/api-keys",
    source: "https://platform.xiaomimimo.com/docs/zh-CN/integration/claudecode",
    asOf: "2026-11-16",
    note: "For keys that begin with sk-. Those of a Token Plan (tp-) have another address, shown on its page.",
  },
  {
    name: "bedrock",
    label: "Amazon Bedrock",
    asks: ["AWS_REGION"],
    extraEnv: { CLAUDE_CODE_USE_BEDROCK: "1" },
    source: "https://answerqa.com/ai/claude-code-on-amazon-bedrock/",
    asOf: "2026-11-16",
    note: "Checked by its author 2026-05-12. Uses the AWS credentials of the machine.",
  },
  {
    name: "vertex",
    label: "Google Vertex AI",
    asks: ["ANTHROPIC_VERTEX_PROJECT_ID"],
    extraEnv: { CLAUDE_CODE_USE_VERTEX: "1", CLOUD_ML_REGION: "global" },
    source:
      "https://spybara.com/anthropic/claude-code/history/docs/en/2026-04-23-1819..2026-04-24-1811/google-vertex-ai/",
    asOf: "2026-11-16",
    note: "A copy of Anthropic's page of 2026-04. Uses the Google credentials of the machine.",
  },
  {
    name: "litellm",
    label: "LiteLLM, your own gateway",
    asksBaseUrl: true,
    token: "ANTHROPIC_AUTH_TOKEN",
    asks: ["ANTHROPIC_MODEL"],
    source: "https://docs.litellm.ai/docs/proxy/client_setup/claude_code.md",
    asOf: "2026-11-16",
    note: "Dated 2026-10-12. The model is a model_name of the gateway's configuration.",
  },
  {
    name: "ollama",
    label: "Ollama, on this machine",
    baseUrl: "http://localhost:11434",
    token: "ANTHROPIC_AUTH_TOKEN",
    tokenDefault: "ollama",
    asks: ["ANTHROPIC_MODEL"],
    source: "https://docs.ollama.com/api/anthropic-compatibility.md",
    asOf: "2026-11-16",
    note: "The server ignores the token. Ollama advises a window of at least 64k tokens (ollama.com/blog/claude).",
  },
  {
    name: "lmstudio",
    label: "LM Studio, on this machine",
    baseUrl: "http://localhost:1234",
    token: "ANTHROPIC_AUTH_TOKEN",
    tokenDefault: "lmstudio",
    asks: ["ANTHROPIC_MODEL"],
    source: "https://lmstudio.ai/docs/integrations/claude-code",
    asOf: "2026-11-16",
    note: "A real token is needed only where LM Studio requires authentication.",
  },
];

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** Words such as "ollama" that are not secret and may occur anywhere. */
export const PLACEHOLDER_KEYS: ReadonlySet<string> = new Set(PRESETS.flatMap(({ tokenDefault = [] }) => tokenDefault));
