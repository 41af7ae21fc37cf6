import {
  COMPACT_WINDOW,
  CONTEXT_WINDOW,
  inEveryRole,
  isClaude,
  type Models,
  modelVariables,
  TOOL_SEARCH,
} from "../claude/models.ts";
import { nearest } from "../text/words.ts";
import { ANTHROPIC_PRESETS, CLAUDE_CLOUD_PRESETS, inFourRoles, LAB_PRESETS, type Preset } from "./preset-data.ts";

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The presets that a search finds, by name, label, address or alias. */
export function searchPresets(search: string): Preset[] {
  return PRESETS.filter((preset) => searchText(preset).includes(search.trim().toLowerCase()));
}

/**
 * The presets with this name, or of the vendor with this name: zai and Z.AI mean those for z.ai. Loosely, deepsek means DeepSeek's,
 * glm-4.6 and kimi-k2 those of the models' vendors.
 */
export function vendorPresets(word: string, isLoose = false): string[] {
  const found = namedPresets(word);
  if (found.length > 0 || !isLoose) return found;
  const [stem = ""] = word.split(/[-_.\d]/);
  const words = PRESETS.flatMap(({ name, aliases = [] }) => [name, ...aliases]).filter((each) => each.length > 3);
  return [stem, nearest(word, words) ?? ""].map(namedPresets).find(({ length }) => length > 0) ?? [];
}

function namedPresets(word: string): string[] {
  const same = (name: string) => name.toLowerCase().replaceAll(/[._-]/g, "");
  const wanted = same(word);
  const found = PRESETS.filter(({ name }) => same(name) === wanted);
  const meant =
    found.length > 0 ? found : PRESETS.filter(({ aliases = [] }) => aliases.some((each) => same(each) === wanted));
  return meant.map(({ name }) => name);
}

export function searchText({ name, label, aliases = [], baseUrl, baseUrlForm = "" }: Preset): string {
  return [name, label, ...aliases, baseUrl ?? baseUrlForm].join(" ").toLowerCase();
}

/** A preset's env block, without the key and the variables that the user must fill in. */
export function presetEnv(preset: Preset): Record<string, string> {
  const { baseUrl, models = {} } = preset;
  const env: Record<string, string> = baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl };
  const variables = modelVariables(inAllRoles(models));
  const isForeign = models.opus !== undefined && !isClaude(models.opus);
  return { ...env, ...variables, ...windowEnv(preset), ...(isForeign ? NO_TOOL_SEARCH : {}), ...preset.extraEnv };
}

/** Providers' instructions seldom mention the fable role, and without a model Claude Code requests one of Anthropic's. */
function inAllRoles(models: Models): Models {
  return models.opus === undefined ? models : { ...models, fable: models.fable ?? models.opus };
}

/** Claude Code assumes 1M tokens for an unknown model, and would compact too late. */
function windowEnv({ contextWindow, compactWindow, models = {} }: Preset): Record<string, string> {
  const isInName = Object.values(models).some((model) => model.endsWith("[1m]"));
  return {
    ...(contextWindow === undefined || isInName ? {} : { [CONTEXT_WINDOW]: String(contextWindow) }),
    ...(compactWindow === undefined ? {} : { [COMPACT_WINDOW]: String(compactWindow) }),
  };
}

/** Only Claude is known to understand `tool_reference`: another model would never find the tools behind it. */
export const NO_TOOL_SEARCH: Readonly<Record<string, string>> = { [TOOL_SEARCH]: "false" };

const ALIBABA = [
  "alibaba",
  "aliyun",
  "bailian",
  "dashscope",
  "tongyi",
  "阿里",
  "阿里云",
  "百炼",
  "通义",
  "千问",
  "通义千问",
];
const VOLCENGINE = ["volcengine", "ark", "bytedance", "豆包", "火山", "火山引擎", "方舟", "火山方舟", "字节"];
const BAIDU = ["baidu", "ernie", "wenxin", "百度", "千帆", "文心"];

const MAX_AND_FLASH: Models = {
  main: "qwen3.7-max",
  opus: "qwen3.7-max",
  sonnet: "qwen3.7-max",
  haiku: "qwen3.6-flash",
};
const QWEN_WINDOW = 1_000_000;
const TOKEN_PLAN_WINDOW = 983_616;
const ALIBABA_KEYS = "https://bailian.console.alibabacloud.com";
const ALIYUN_KEYS = "https://bailian.console.aliyun.com";
const ALIBABA_PAGE = "https://www.alibabacloud.com/help/en/model-studio/claude-code";

/** Clouds that serve models of several companies. */
const CLOUD_PRESETS: readonly Preset[] = [
  {
    name: "qwen",
    label: "Qwen (Alibaba Model Studio), Singapore",
    aliases: ALIBABA,
    asksBaseUrl: true,
    baseUrlForm: "https://{WorkspaceId}.ap-southeast-1.maas.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: MAX_AND_FLASH,
    contextWindow: QWEN_WINDOW,
    keyUrl: ALIBABA_KEYS,
    source: "https://www.developersdigest.tech/setup/qwen/claude-code",
    asOf: "2026-11-16",
    note: "Repeats Alibaba's page. Virginia: us-east-1 in place of ap-southeast-1. Older keys: dashscope-intl.aliyuncs.com.",
  },
  {
    name: "qwen-cn",
    label: "Qwen (Alibaba Model Studio), Beijing",
    aliases: ALIBABA,
    baseUrl: "https://dashscope.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: MAX_AND_FLASH,
    contextWindow: QWEN_WINDOW,
    keyUrl: ALIYUN_KEYS,
    source: "https://help.aliyun.com/zh/model-studio/claude-code",
    asOf: "2026-11-16",
    note: "A workspace may have its own address instead: https://{WorkspaceId}.cn-beijing.maas.aliyuncs.com/apps/anthropic.",
  },
  {
    name: "qwen-coding",
    label: "Qwen Coding Plan (Alibaba), international",
    aliases: ALIBABA,
    baseUrl: "https://coding-intl.dashscope.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: MAX_AND_FLASH,
    contextWindow: QWEN_WINDOW,
    keyUrl: ALIBABA_KEYS,
    source: ALIBABA_PAGE,
    asOf: "2026-11-16",
    note: "The address is the page's, 2026-09. The models are those that github.com/anomalyco/models.dev lists for the plan.",
  },
  {
    name: "qwen-coding-cn",
    label: "Qwen Coding Plan (Alibaba), China",
    aliases: ALIBABA,
    baseUrl: "https://coding.dashscope.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: MAX_AND_FLASH,
    contextWindow: QWEN_WINDOW,
    keyUrl: ALIYUN_KEYS,
    source: ALIBABA_PAGE,
    asOf: "2026-11-16",
    note: "The address is the page's, 2026-09. The models are those of the international plan.",
  },
  {
    name: "qwen-token",
    label: "Qwen Token Plan (Alibaba), international",
    aliases: ALIBABA,
    baseUrl: "https://token-plan.ap-southeast-1.maas.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "qwen3.8-max", opus: "qwen3.8-max", sonnet: "qwen3.8-flash", haiku: "qwen3.6-flash" },
    contextWindow: TOKEN_PLAN_WINDOW,
    keyUrl: ALIBABA_KEYS,
    source: ALIBABA_PAGE,
    asOf: "2026-11-16",
    note: "The page of 2026-09-28, as a fact check of 2026-10-04 quotes it.",
  },
  {
    name: "qwen-token-cn",
    label: "Qwen Token Plan (Alibaba), China",
    aliases: ALIBABA,
    baseUrl: "https://token-plan.cn-beijing.maas.aliyuncs.com/apps/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: { main: "qwen3.8-max", opus: "qwen3.8-max", sonnet: "qwen3.8-max", haiku: "qwen3.6-flash" },
    contextWindow: TOKEN_PLAN_WINDOW,
    keyUrl: ALIYUN_KEYS,
    source: "https://help.aliyun.com/zh/model-studio/opencode-token-plan",
    asOf: "2026-11-16",
    note: "The page gives address, window and models for another tool; qwen3.8-max has left its preview since.",
  },
  {
    name: "doubao",
    label: "Doubao (Volcengine Ark Coding Plan)",
    aliases: VOLCENGINE,
    baseUrl: "https://ark.cn-beijing.volces.com/api/coding",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("ark-code-latest"),
    contextWindow: 256_000,
    keyUrl: "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
    source: "https://www.volcengine.com/article/38135",
    asOf: "2026-11-16",
    note: "The model behind ark-code-latest is chosen in Ark's console; 256k is the window of Doubao's own.",
  },
  {
    name: "doubao-agent",
    label: "Doubao (Volcengine Ark Agent Plan)",
    aliases: VOLCENGINE,
    baseUrl: "https://ark.cn-beijing.volces.com/api/plan",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("ark-code-latest"),
    contextWindow: 256_000,
    keyUrl: "https://console.volcengine.com/ark/region:ark+cn-beijing/apiKey",
    source: "https://www.volcengine.com/docs/82379/2373739",
    asOf: "2026-11-16",
    note: "The text of the page was not accessible: address and model are from cc-switch, 2026-08.",
  },
  {
    name: "qianfan",
    label: "Qianfan (Baidu) Token Plan",
    aliases: BAIDU,
    baseUrl: "https://qianfan.baidubce.com/anthropic/tokenplan/personal",
    token: "ANTHROPIC_API_KEY",
    models: inEveryRole("deepseek-v4-pro"),
    extraEnv: { API_TIMEOUT_MS: "600000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    keyUrl: "https://console.bce.baidu.com/qianfan/resource/token-plan",
    source: "https://cloud.baidu.com/doc/qianfan/s/zmracpp70",
    asOf: "2026-11-16",
    note: "The page of 2026-07-10. Pay as you go: --base-url https://qianfan.baidubce.com/anthropic.",
  },
];

/** Gateways to models of others. */
const GATEWAY_PRESETS: readonly Preset[] = [
  {
    name: "openrouter",
    label: "OpenRouter",
    baseUrl: "https://openrouter.ai/api",
    token: "ANTHROPIC_AUTH_TOKEN",
    keyUrl: "https://openrouter.ai/keys",
    source: "https://www.developersdigest.tech/setup/openrouter/claude-code",
    asOf: "2026-11-16",
    note: "Repeats OpenRouter's guide. Serves Claude by Claude Code's own names, so no models are set.",
  },
  {
    name: "opencode-go",
    label: "OpenCode Go",
    baseUrl: "https://opencode.ai/inference/go/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("minimax-m3"),
    contextWindow: 1_000_000,
    keyUrl: "https://opencode.ai/console",
    source: "https://opencode.ai/docs/console/harnesses/claude-code/",
    asOf: "2026-11-16",
    note: "For keys that begin with oc_sk_. The former address takes x-api-key only: --x-api-key --base-url https://opencode.ai/zen/go.",
  },
  {
    name: "siliconflow",
    label: "SiliconFlow",
    aliases: ["硅基", "硅基流动"],
    baseUrl: "https://api.siliconflow.com/",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("deepseek-ai/DeepSeek-V4-Pro-0813"),
    keyUrl: "https://cloud.siliconflow.com/me/account/ak",
    source: "https://www.siliconflow.com/blog/deepseek-v4-pro-claude-code-siliconflow",
    asOf: "2026-11-16",
    note: "The page names the model; address and variable are from public code (cc-switch).",
  },
  {
    name: "novita",
    label: "Novita AI",
    baseUrl: "https://api.novita.ai/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("zai-org/glm-5.2"),
    contextWindow: 1_048_576,
    keyUrl: "https://novita.ai/settings/key-management",
    source: "https://novita.ai/docs/guides/llm-anthropic-compatibility",
    asOf: "2026-11-16",
    note: "The page lists its models only in a browser; model and window are from github.com/anomalyco/models.dev.",
  },
  {
    name: "modelscope",
    label: "ModelScope API-Inference",
    aliases: ["魔搭", "魔搭社区"],
    baseUrl: "https://api-inference.modelscope.cn",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inEveryRole("ZhipuAI/GLM-5.2"),
    keyUrl: "https://modelscope.cn/my/myaccesstoken",
    source: "https://modelscope.cn/docs/model-service/API-Inference/intro",
    asOf: "2026-11-16",
    note: "The text of the page was not accessible: address and model are from cc-switch, 2026-08.",
  },
  {
    name: "litellm",
    label: "LiteLLM, your own gateway",
    aliases: ["custom", "proxy", "网关", "自建", "自定义"],
    asksBaseUrl: true,
    token: "ANTHROPIC_AUTH_TOKEN",
    asks: ["ANTHROPIC_MODEL"],
    source: "https://docs.litellm.ai/docs/proxy/client_setup/claude_code.md",
    asOf: "2026-11-16",
    note: "Dated 2026-10-12. The model is a model_name of the gateway's configuration.",
  },
];

/** Servers on this machine. */
const LOCAL_PRESETS: readonly Preset[] = [
  {
    name: "ollama",
    label: "Ollama, on this machine",
    aliases: ["local", "本地"],
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
    aliases: ["local", "本地"],
    baseUrl: "http://localhost:1234",
    token: "ANTHROPIC_AUTH_TOKEN",
    tokenDefault: "lmstudio",
    asks: ["ANTHROPIC_MODEL"],
    source: "https://lmstudio.ai/docs/integrations/claude-code",
    asOf: "2026-11-16",
    note: "A real token is needed only where LM Studio requires authentication. It advises more than 25k tokens.",
  },
];

/** Every preset, in the order in which they are offered. */
export const PRESETS: readonly Preset[] = [
  ...ANTHROPIC_PRESETS,
  ...LAB_PRESETS,
  ...CLOUD_PRESETS,
  ...GATEWAY_PRESETS,
  ...CLAUDE_CLOUD_PRESETS,
  ...LOCAL_PRESETS,
];

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);
