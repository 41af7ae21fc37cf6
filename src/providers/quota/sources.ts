import { USAGE_READERS, type UsageReader } from "./readers.ts";

/** How to ask a provider what is left: with its own key, at the host of its base URL and no other. */
export interface UsageSource {
  readonly host: string;
  /** How the path of the base URL begins, if the host also serves other things. */
  readonly under?: string;
  /** The path to ask. */
  readonly path: string;
  readonly read: UsageReader;
  /** Where users can look it up themselves. */
  readonly page: string;
  /** Where these facts come from, and the day on which they were looked up. */
  readonly sources: readonly string[];
  readonly asOf: string;
}

/** The source for a provider with this base URL. Other ports and plain HTTP are other servers. */
export function usageSource(baseUrl: string): UsageSource | undefined {
  const url = URL.parse(baseUrl);
  if (url?.protocol !== "https:" || url.port !== "") return undefined;
  return USAGE_SOURCES.find(
    ({ host, under = "" }) => host === url.hostname && `${url.pathname}/`.startsWith(`${under}/`),
  );
}

export function usageUrl({ host, path }: UsageSource): string {
  return `https://${host}${path}`;
}

/** Not documented, only observed. Every server takes a Bearer token; Z.ai's own plugin sends the bare key. */
const ZAI = {
  path: "/api/monitor/usage/quota/limit",
  read: USAGE_READERS.zai,
  sources: [
    "https://github.com/zai-org/zai-coding-plugins",
    "https://github.com/robinebers/openusage/issues/1104",
    "https://github.com/getpaseo/paseo/issues/5057",
    "https://github.com/steipete/CodexBar/blob/main/docs/zai.md",
  ],
  asOf: "2026-09-18",
};

/** Not documented, only observed. */
const KIMI_CODE = {
  under: "/coding",
  path: "/coding/v1/usages",
  read: USAGE_READERS.kimi,
  page: "https://www.kimi.com/code/console",
  sources: [
    "https://github.com/MoonshotAI/kimi-code/issues/3951",
    "https://github.com/akitaonrails/ai-usagebar/issues/199",
    "https://github.com/vinzdg/codenotch/issues/307",
  ],
  asOf: "2026-09-22",
};

const MOONSHOT = {
  path: "/v1/users/me/balance",
  sources: [
    "https://platform.moonshot.cn/docs/api/balance",
    "https://github.com/api-evangelist/moonshot-ai/blob/main/openapi/moonshot-ai-billing-api-openapi.yml",
  ],
  asOf: "2026-10-13",
};

/** The FAQ names this path; the shape of the answer is only observed. */
const MINIMAX = {
  path: "/v1/token_plan/remains",
  read: USAGE_READERS.minimax,
  sources: [
    "https://platform.minimax.io/docs/token-plan/faq",
    "https://github.com/rygel/AIUsageTracker/pull/613",
    "https://github.com/robinebers/openusage/pull/536",
    "https://github.com/slkiser/opencode-quota/pull/172",
  ],
  asOf: "2026-09-15",
};

const SILICONFLOW = {
  path: "/v1/user/info",
  sources: [
    "https://docs.siliconflow.cn/cn/api-reference/userinfo/get-user-info",
    "https://github.com/BUGJI/astrbot_plugin_balance",
  ],
  asOf: "2026-11-16",
};

/** The currency is that of the site's prices. Neither site has an address for the Step Plan. */
const STEPFUN = {
  path: "/v1/accounts",
  sources: [
    "https://platform.stepfun.com/docs/zh/api-reference/accounts/get",
    "https://github.com/farion1231/cc-switch/issues/4454",
  ],
  asOf: "2026-11-16",
};

export const USAGE_SOURCES: readonly UsageSource[] = [
  { host: "api.z.ai", page: "https://z.ai/manage-apikey/subscription", ...ZAI },
  { host: "open.bigmodel.cn", page: "https://bigmodel.cn/coding-plan/personal/overview", ...ZAI },
  { host: "api.kimi.com", ...KIMI_CODE },
  { host: "api.kimi.ai", ...KIMI_CODE },
  {
    host: "api.moonshot.ai",
    page: "https://platform.kimi.ai/console",
    read: USAGE_READERS.moonshot("USD"),
    ...MOONSHOT,
  },
  {
    host: "api.moonshot.cn",
    page: "https://platform.kimi.com/console",
    read: USAGE_READERS.moonshot("CNY"),
    ...MOONSHOT,
  },
  { host: "api.minimax.io", page: "https://platform.minimax.io/user-center/payment/token-plan", ...MINIMAX },
  { host: "api.minimaxi.com", page: "https://platform.minimax.cn/user-center/payment/token-plan", ...MINIMAX },
  {
    host: "api.deepseek.com",
    path: "/user/balance",
    read: USAGE_READERS.deepseek,
    page: "https://platform.deepseek.com/usage",
    sources: [
      "https://api-docs.deepseek.com/api/get-user-balance",
      "https://github.com/steipete/CodexBar/blob/main/docs/deepseek.md",
    ],
    asOf: "2026-11-16",
  },
  {
    host: "openrouter.ai",
    path: "/api/v1/key",
    read: USAGE_READERS.openrouter,
    page: "https://openrouter.ai/settings/credits",
    // /api/v1/credits answers ordinary keys with zeros, as the second source shows.
    sources: [
      "https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key",
      "https://github.com/openchamber/openchamber/pull/3411",
    ],
    asOf: "2026-09-07",
  },
  {
    host: "api.siliconflow.com",
    page: "https://cloud.siliconflow.com",
    read: USAGE_READERS.siliconflow("USD"),
    ...SILICONFLOW,
  },
  {
    host: "api.siliconflow.cn",
    page: "https://cloud.siliconflow.cn",
    read: USAGE_READERS.siliconflow("CNY"),
    ...SILICONFLOW,
  },
  { host: "api.stepfun.ai", page: "https://platform.stepfun.ai", read: USAGE_READERS.stepfun("USD"), ...STEPFUN },
  { host: "api.stepfun.com", page: "https://platform.stepfun.com", read: USAGE_READERS.stepfun("CNY"), ...STEPFUN },
];
