import { describe, expect, test } from "bun:test";
import { type ApiFailureKind, classifyFailure, isTooLong, serverWords } from "../../../src/claude/failures.ts";
import { readStreamLine } from "../../../src/claude/stream.ts";

describe("api failure", () => {
  const NOW = new Date("2026-08-24T20:00:00Z");

  /** As Claude Code 2.1.325 words them. The messages are the providers' own, as their users report them. */
  const FAILURES: readonly (readonly [
    provider: string,
    status: number | undefined,
    text: string,
    kind: ApiFailureKind,
  ])[] = [
    ["Anthropic", 401, "Invalid API key · Fix external API key", "refused"],
    ["Anthropic", 403, "Failed to authenticate. API Error: 403 OAuth token does not meet scope requirement", "refused"],
    ["Anthropic", 400, "API Error: 400 Your credit balance is too low to access the Anthropic API.", "no credit"],
    ["Anthropic", 400, "Credit balance is too low", "no credit"],
    [
      "Anthropic",
      429,
      "API Error: Request rejected (429) · Extra usage is required for long context requests.",
      "no credit",
    ],
    [
      "Anthropic",
      429,
      "API Error: Request rejected (429) · This request would exceed your account's rate limit.",
      "rate limit",
    ],
    ["Anthropic", 529, "API Error: Repeated 529 Overloaded errors. The API is at capacity", "server error"],
    ["Anthropic", 500, "API Error: 500 Internal server error", "server error"],
    ["Anthropic", undefined, "API Error: Repeated 529 Overloaded errors. The API is at capacity", "server error"],
    ["Claude Code", 429, "You've hit your session limit · resets 3pm (America/Bogota)", "usage limit"],
    ["Claude Code", 429, "You've hit your limit · resets 6pm (Europe/Warsaw)", "usage limit"],
    ["Claude Code", undefined, "Claude AI usage limit reached|1762952400", "usage limit"],
    ["Claude Code", undefined, "5-hour limit reached ∙ resets 2am", "usage limit"],
    ["Claude Code", undefined, "Not logged in · Please run /login", "refused"],
    ["GLM", 401, "Failed to authenticate. API Error: 401 令牌已过期或验证不正确", "refused"],
    [
      "GLM",
      429,
      "API Error: Request rejected (429) · [1302][High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits]",
      "rate limit",
    ],
    ["GLM", 429, "API Error: Request rejected (429) · 您的账户已达到速率限制，请您控制请求频率", "rate limit"],
    [
      "GLM",
      429,
      "API Error: Request rejected (429) · [1308][Usage limit reached for 5 hour. Your limit will reset at 2026-08-25 07:41:44][20260912]",
      "usage limit",
    ],
    [
      "GLM",
      429,
      "API Error: Request rejected (429) · [1308][已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。]",
      "usage limit",
    ],
    [
      "GLM",
      429,
      "API Error: Request rejected (429) · [1310][Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-08-27 12:05:49]",
      "usage limit",
    ],
    [
      "GLM",
      429,
      "API Error: Request rejected (429) · [1113][Insufficient balance or no resource package. Please recharge.]",
      "no credit",
    ],
    ["GLM", 429, "API Error: Request rejected (429) · [1113][余额不足或无可用资源包,请充值。]", "no credit"],
    [
      "GLM",
      529,
      "API Error: 529 [1305][The service may be temporarily overloaded, please try again later]",
      "server error",
    ],
    [
      "Kimi",
      403,
      "Failed to authenticate. API Error: 403 You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends. To continue now, purchase extra usage or upgrade your plan",
      "usage limit",
    ],
    [
      "Kimi",
      403,
      "Failed to authenticate. API Error: 403 You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.",
      "usage limit",
    ],
    [
      "Kimi",
      403,
      "access_terminated_error\nFailed to authenticate. API Error: 403 Kimi For Coding is currently only available for Coding Agents",
      "refused",
    ],
    [
      "Moonshot",
      429,
      "exceeded_current_quota_error\nAPI Error: Request rejected (429) · Your account is suspended, please check your plan and billing details",
      "no credit",
    ],
    [
      "Moonshot",
      429,
      "API Error: Request rejected (429) · Your account org-1 <ak-1> is suspended due to insufficient balance, please recharge your account",
      "no credit",
    ],
    [
      "Moonshot",
      429,
      "API Error: Request rejected (429) · Your account reached organization max RPM: 3, please try again after 1 seconds",
      "rate limit",
    ],
    [
      "MiniMax",
      500,
      "API Error: 500 insufficient balance (1008). This is a server-side issue, usually temporary",
      "no credit",
    ],
    [
      "MiniMax",
      429,
      "API Error: Request rejected (429) · usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-08-25T15:00:00Z (2056)",
      "usage limit",
    ],
    ["MiniMax", 429, "API Error: Request rejected (429) · rate limit exceeded(RPM) (1002)", "rate limit"],
    [
      "MiniMax",
      401,
      "API Error: 401 login fail: Please carry the API secret key in the 'Authorization' field (1004)",
      "refused",
    ],
    ["DeepSeek", 402, "API Error: 402 Insufficient Balance", "no credit"],
    [
      "DeepSeek",
      401,
      "Failed to authenticate. API Error: 401 Authentication Fails, Your api key: ****1234 is invalid",
      "refused",
    ],
    [
      "OpenRouter",
      402,
      "API Error: 402 Insufficient credits. Add more using https://openrouter.ai/settings/credits",
      "no credit",
    ],
    [
      "OpenRouter",
      402,
      "API Error: 402 This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 0.",
      "no credit",
    ],
    [
      "OpenRouter",
      429,
      "API Error: Request rejected (429) · Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
      "usage limit",
    ],
    ["OpenRouter", 429, "API Error: Request rejected (429) · Provider returned error", "rate limit"],
    [
      "SiliconFlow",
      403,
      "Failed to authenticate. API Error: 403 Sorry, your account balance is insufficient",
      "no credit",
    ],
    [
      "SiliconFlow",
      429,
      "API Error: Request rejected (429) · Request was rejected due to rate limiting. Details: TPM limit reached.",
      "rate limit",
    ],
    ["SiliconFlow", 503, "API Error: 503 Model service overloaded. Please try again later.", "server error"],
    ["a gateway", 502, "API Error: 502 <html><title>Bad gateway</title></html>", "server error"],
    ["a gateway", 402, "API Error: 402 Payment Required", "no credit"],
    [
      "a gateway",
      402,
      "API Error: 402 Free quota used (30 requests / 5h). Resets at 10:00 UTC. Top up for unlimited access",
      "usage limit",
    ],
    ["a gateway", 403, "Failed to authenticate. API Error: 403 <html><title>Access denied</title></html>", "refused"],
    ["a proxy", 407, "API Error: 407 Proxy Authentication Required", "unreachable"],
    [
      "no server",
      undefined,
      "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
      "unreachable",
    ],
    ["no server", undefined, "API Error: Connection error.", "unreachable"],
    ["no server", undefined, "API Error: Request timed out.", "unreachable"],
    ["a model", 404, "There's an issue with the selected model (glm-9). It may not exist", "other"],
    ["a request", 400, "API Error: 400 messages: text content blocks must be non-empty", "other"],
    ["nothing", undefined, "", "other"],
  ];

  describe("why an API did not answer", () => {
    test.each(FAILURES)("%s %p: %s", (_, status, text, kind) => {
      expect(classifyFailure({ status, text }, NOW).kind).toBe(kind);
    });
  });

  describe("older versions of Claude Code give the status only in the text", () => {
    test.each([
      [
        'API Error: 403 {"type":"error","error":{"type":"permission_error","message":"Forbidden"}} · Please run /login',
        403,
        "refused",
      ],
      [
        'API Error: 403 {"error":{"message":"You\'ve reached your weekly usage limit."}} · Please run /login',
        403,
        "usage limit",
      ],
      ['API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal"}}', 500, "server error"],
      [
        '429 {"type":"error","error":{"type":"1113","message":"Insufficient balance or no resource package."}}',
        429,
        "no credit",
      ],
    ] as const)("%s", (text, status, kind) => {
      expect(classifyFailure({ text }, NOW)).toMatchObject({ status, kind });
    });
  });

  test("a limit that ends by itself comes with its end, if the text has it", () => {
    const text = "[1308][已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。]";
    expect(classifyFailure({ status: 429, text }, NOW).resetAt).toEqual(new Date("2026-08-24T23:41:44Z"));
    expect(classifyFailure({ status: 429, text: "usage limit reached" }, NOW).resetAt).toBeUndefined();
    const soon = "too many requests, please retry after 30s";
    expect(classifyFailure({ status: 429, text: soon }, NOW).resetAt).toEqual(new Date("2026-08-24T20:00:30Z"));
  });

  test.each([
    [403, "this key is blocked, try again in 30 minutes", "refused"],
    [402, "insufficient balance, try again in 30 minutes", "no credit"],
    [503, "overloaded, try again in 30 minutes", "server error"],
  ] as const)("a time in another failure is not the end of a limit: %d %s", (status, text, kind) =>
    expect(classifyFailure({ status, text }, NOW)).toEqual({ kind, status, resetAt: undefined }),
  );

  test.each([
    [
      "Failed to authenticate. API Error: 403 You've reached your weekly usage limit.",
      "You've reached your weekly usage limit.",
    ],
    ["API Error: Request rejected (429) · [1308][已达到 5 小时的使用上限。]", "[1308][已达到 5 小时的使用上限。]"],
    ["API Error: 500 Internal. This is a server-side issue, usually temporary — try again", "Internal."],
    ['API Error: 403 {"type":"error","error":{"message":"weekly limit"}} · Please run /login', "weekly limit"],
    ['API Error: 429 {"message":"TPM limit reached.","data":null}', "TPM limit reached."],
    ["API Error: Connection error.", "Connection error."],
    ["Invalid API key · Fix external API key", "Invalid API key · Fix external API key"],
    ["API Error: 502 <html>\n  <title>Bad gateway</title>", "<html> <title>Bad gateway</title>"],
  ])("the server's own words in %p", (text, words) => expect(serverWords(text)).toBe(words));
});

const resetTime = (text: string, now: Date) => classifyFailure({ status: 429, text }, now).resetAt;

describe("reset time", () => {
  const NOW = new Date("2026-08-24T20:00:00Z");

  describe("when a limit ends", () => {
    test.each([
      ["Claude AI usage limit reached|1787616000", "2026-08-25T00:00:00Z"],
      ['"X-RateLimit-Reset":"1787616000000"', "2026-08-25T00:00:00Z"],
      ["5-hour usage limit reached, resets at 2026-08-24T23:00:00Z (2056)", "2026-08-24T23:00:00Z"],
      ["resets at 2026-08-24T23:00:00.465054Z", "2026-08-24T23:00:00Z"],
      ["resets at 2026-08-25T01:00:00+02:00", "2026-08-24T23:00:00Z"],
      ["Your limit will reset at 2026-08-25 00:35 UTC", "2026-08-25T00:35:00Z"],
      // GLM means the time in China, in both languages.
      ["Usage limit reached for 5 hour. Your limit will reset at 2026-08-25 07:41:44", "2026-08-24T23:41:44Z"],
      ["您的限额将在 2026-08-25 07:41:44 重置。", "2026-08-24T23:41:44Z"],
      ["You've hit your session limit · resets 6pm (America/Bogota)", "2026-08-24T23:00:00Z"],
      ["resets 2:30pm (Pacific/Auckland)", "2026-08-25T02:30:00Z"],
      ["resets 12:50am (America/Los_Angeles)", "2026-08-25T07:50:00Z"],
      ["resets 12am (UTC)", "2026-08-25T00:00:00Z"],
      // Already past today.
      ["Your limit will reset at 3pm (America/Bogota).", "2026-08-25T20:00:00Z"],
      ["resets Sep 1 at 12pm (Asia/Singapore)", "2026-09-01T04:00:00Z"],
      ["resets Sep 1, 5am (Asia/Singapore)", "2026-08-31T21:00:00Z"],
      ["Free quota used. Resets at 22:00 UTC. Top up", "2026-08-24T22:00:00Z"],
      ["or try again in 5 days 22 hours 11 minutes.", "2026-08-30T18:11:00Z"],
      ["please try again after 1 seconds", "2026-08-24T20:00:01Z"],
      ["Please retry after 30s", "2026-08-24T20:00:30Z"],
      ["try again in 31 days", "2026-09-24T20:00:00Z"],
      ["resets in 1h 30m", "2026-08-24T21:30:00Z"],
      ["请 30 秒后重试", "2026-08-24T20:00:30Z"],
    ])("%s", (text, end) => expect(resetTime(text, NOW)).toEqual(new Date(end)));

    test("without a zone it is the time on this machine", () => {
      const end = resetTime("5-hour limit reached ∙ resets 2am", NOW);
      expect(end?.getHours()).toBe(2);
      expect(end?.getMinutes()).toBe(0);
    });

    test("with a zone it is the same on every machine", () => {
      const { TZ } = process.env;
      process.env.TZ = "Asia/Tokyo";
      try {
        expect(resetTime("Resets at 22:00 UTC.", NOW)).toEqual(new Date("2026-08-24T22:00:00Z"));
        expect(resetTime("resets 2am", NOW)).toEqual(new Date("2026-08-25T17:00:00Z"));
      } finally {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    });

    test("in a new year", () => {
      const end = resetTime("resets Jan 2 at 1am (UTC)", new Date("2026-12-30T10:00:00Z"));
      expect(end).toEqual(new Date("2027-01-02T01:00:00Z"));
    });
  });

  describe("a text that does not say", () => {
    test.each([
      "You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends.",
      "This request would exceed your account's rate limit. Please try again later.",
      "Usage limit reached for 5 hour.",
      "resets 3",
      "resets 3pm (Nowhere/AtAll)",
      "your limit will reset at 2026-13-45 99:99:99",
      // Over, or further away than any plan's period.
      "Your limit will reset at 2026-08-20 12:00:00",
      "Your limit will reset at 2026-08-24T20:00:00Z",
      "Your limit will reset at 2031-08-20 12:00:00",
      "try again in 32 days",
      "the request of 2026-08-24T23:00:00Z failed",
      "",
    ])("%s", (text) => expect(resetTime(text, NOW)).toBeUndefined());
  });
});

describe("too long", () => {
  function ended(result: string, more: object = { is_error: true, api_error_status: 400 }) {
    const event = readStreamLine({ type: "result", subtype: "success", result, ...more });
    if (event.kind !== "result") throw new Error("not a result");
    return event.result;
  }

  describe("a session is too long", () => {
    test.each([
      "Prompt is too long",
      "API Error: 400 This model's maximum context length is 131072 tokens. However, you requested 140000 tokens",
      "API Error: 400 input length and `max_tokens` exceed context limit: 198000 + 32000 > 200000",
      "API Error: 400 Your request exceeded model token limit: 262144",
      "API Error: 400 invalid params, context window exceeds limit (2013)",
      "API Error: 400 Range of input length should be [1, 258048]: input is too long",
      "API Error: 400 输入超出模型最大长度限制",
    ])("%s", (text) => expect(isTooLong(ended(text))).toBe(true));
    test("the words alone are enough", () =>
      expect(isTooLong(ended("Prompt is too long", { is_error: true }))).toBe(true));
    test("the status alone is enough", () =>
      expect(isTooLong(ended("", { is_error: true, api_error_status: 413 }))).toBe(true));
  });

  describe("a session is not too long", () => {
    test.each(["API Error: 400 bad model", "API Error: 429 rate limit exceeded", "API Error: 403 quota exceeded"])(
      "%s",
      (text) => expect(isTooLong(ended(text))).toBe(false),
    );
    test.each([
      [429, "This request would exceed your organization's rate limit of 50,000 input tokens per minute"],
      [402, "token quota exceeded, please recharge"],
      [400, "max_tokens: 64000 exceeds the maximum allowed number of output tokens"],
    ])("HTTP %d, %s", (api_error_status, text) =>
      expect(isTooLong(ended(text, { is_error: true, api_error_status }))).toBe(false),
    );
    test("an answer that mentions it", () =>
      expect(isTooLong(ended("The prompt is too long for the model.", { is_error: false }))).toBe(false));
  });
});

test.each([
  ["counts where nothing else is known", "try again at 2026-08-24T21:00:00Z, when it resets", "rate limit"],
  ["does not hide a usage limit", "usage limit reached", "usage limit"],
  ["does not hide a refused key", "API Error: 401 no", "refused"],
] as const)("that Claude Code calls an error a rate limit %s", (_, text, kind) =>
  expect(classifyFailure({ text, isRateLimit: true }, new Date("2026-08-24T20:00:00Z")).kind).toBe(kind),
);
