import { inEveryRole, type Models } from "../../claude/model.ts";
import { inFourRoles } from "./common-values.ts";
import type { Preset } from "./preset.ts";

const ALIBABA = ["alibaba", "bailian", "dashscope", "阿里", "阿里云", "百炼", "通义", "千问", "通义千问"];
const VOLCENGINE = ["volcengine", "ark", "bytedance", "豆包", "火山", "火山引擎", "方舟", "火山方舟", "字节"];
const BAIDU = ["baidu", "百度", "千帆", "文心"];

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
export const CLOUD_PRESETS: readonly Preset[] = [
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
    note: "The page's text was not at hand: address and model are from cc-switch, 2026-08.",
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
