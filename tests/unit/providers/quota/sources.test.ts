import { describe, expect, test } from "bun:test";
import { PRESETS } from "../../../../src/providers/preset-list.ts";
import type { UsageFigure, UsageReading } from "../../../../src/providers/quota/readers.ts";
import { USAGE_SOURCES, usageSource, usageUrl } from "../../../../src/providers/quota/sources.ts";
import { RECORDED, type RecordedHost } from "./recorded-answers.ts";

const HOSTS = Object.keys(RECORDED) as RecordedHost[];

function read(host: RecordedHost, json: unknown): UsageReading | undefined {
  const source = USAGE_SOURCES.find((each) => each.host === host);
  return source?.read(json, Date.parse(RECORDED[host].at));
}

function shown(figure: UsageFigure): string {
  if (figure.kind === "window") return `${figure.name} ${Math.round(figure.used_percent)} ${figure.resets_at}`;
  return `${figure.kind} ${figure.amount} ${figure.currency}`;
}

/** The recorded answer with some of its text replaced. */
function changed(host: RecordedHost, from: string, to: string): unknown {
  const before = JSON.stringify(RECORDED[host].json);
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  return JSON.parse(after);
}

describe("who is asked", () => {
  test("every source is read on a recorded answer", () =>
    expect(USAGE_SOURCES.map(({ host }) => host).sort()).toEqual([...HOSTS].sort()));

  test("only the host of the base URL, over HTTPS", () => {
    for (const source of USAGE_SOURCES) {
      const { protocol, host, port } = new URL(usageUrl(source));
      expect({ protocol, host, port }).toEqual({ protocol: "https:", host: source.host, port: "" });
    }
  });

  test.each([
    ["https://api.z.ai/api/anthropic", "https://api.z.ai/api/monitor/usage/quota/limit"],
    ["https://user:pass@api.z.ai/api/anthropic?x=1", "https://api.z.ai/api/monitor/usage/quota/limit"],
    ["https://API.Z.AI/", "https://api.z.ai/api/monitor/usage/quota/limit"],
    ["https://open.bigmodel.cn/api/anthropic", "https://open.bigmodel.cn/api/monitor/usage/quota/limit"],
    ["https://api.kimi.com/coding/", "https://api.kimi.com/coding/v1/usages"],
    ["https://api.kimi.com/coding", "https://api.kimi.com/coding/v1/usages"],
    ["https://api.kimi.com/codings", undefined],
    ["https://api.kimi.com/", undefined],
    ["https://api.moonshot.cn/anthropic", "https://api.moonshot.cn/v1/users/me/balance"],
    ["https://openrouter.ai/api", "https://openrouter.ai/api/v1/key"],
    ["http://api.z.ai/api/anthropic", undefined],
    ["https://api.z.ai:8443/api/anthropic", undefined],
    ["https://api.z.ai.evil.test/api/anthropic", undefined],
    ["https://evil.test/api.z.ai", undefined],
    ["https://api.z.ai@evil.test/", undefined],
    ["https://xapi.z.ai/", undefined],
    ["http://127.0.0.1:8080/api.z.ai", undefined],
    ["not a URL", undefined],
    ["", undefined],
  ])("%p: %p", (base, url) => {
    const source = usageSource(base);
    expect(source && usageUrl(source)).toBe(url);
  });

  test("the presets of these companies have a source", () => {
    const without = PRESETS.filter(({ baseUrl = "" }) => usageSource(baseUrl) === undefined).map(({ name }) => name);
    for (const name of [
      "glm",
      "glm-cn",
      "kimi",
      "kimi-cn",
      "minimax",
      "minimax-cn",
      "deepseek",
      "openrouter",
      "siliconflow",
    ])
      expect(without).not.toContain(name);
  });

  test("each fact has two sources and a date", () => {
    for (const { sources, asOf, page } of USAGE_SOURCES) {
      expect(new Set(sources).size).toBeGreaterThanOrEqual(2);
      expect(asOf).toMatch(/^2026-\d\d-\d\d$/);
      for (const url of [page, ...sources]) expect(URL.canParse(url)).toBe(true);
    }
  });
});

describe("a recorded answer", () => {
  test.each(HOSTS)("of %s is understood", (host) => {
    const reading = read(host, RECORDED[host].json);
    expect(reading && "figures" in reading ? reading.figures.map(shown) : reading).toEqual([...RECORDED[host].shown]);
  });

  const kimi = (usage: object) => {
    const reading = read("api.kimi.com", { usage });
    return reading && "figures" in reading ? reading.figures.map(shown) : "unclear";
  };
  test.each([
    ["used alone", { limit: 100, used: 30 }, ["week 30 null"]],
    ["what is left alone", { limit: 100, remaining: 70 }, ["week 30 null"]],
    ["both", { limit: 100, used: 30, remaining: 70 }, ["week 30 null"]],
    ["both, a little rounded", { limit: 100, used: 30, remaining: 68 }, ["week 30 null"]],
    ["both, which contradict each other", { limit: 100, used: 30, remaining: 67 }, "unclear"],
    ["everything used", { limit: 100, used: 100 }, ["week 100 null"]],
    ["more than that", { limit: 100, used: 101 }, "unclear"],
    ["less than nothing", { limit: 100, used: -1 }, "unclear"],
    ["neither", { limit: 100 }, "unclear"],
    ["less than no limit", { limit: -1, used: 0 }, "unclear"],
    ["less than no limit, and less than that left", { limit: -1, remaining: -3 }, "unclear"],
    ["a share of one", { limit: 1, used: 0.25 }, ["week 25 null"]],
    ["a share of less", { limit: 0.5, used: 0.25 }, ["week 50 null"]],
    ["no limit at all", { limit: 0, used: 0 }, "unclear"],
  ])("of Kimi in counts: %s", (_, usage, expected) => expect(kimi(usage)).toEqual(expected));

  test.each([
    [0.315, ["week 30 null"]],
    [0.286, ["week 30 null"]],
    [0.316, "unclear"],
    [0.284, "unclear"],
  ])("of Kimi in counts and as a ratio of %p", (used_ratio, expected) => {
    const reading = read("api.kimi.com", { usage: { limit: 100, used: 30 }, usages: { limit_7d: { used_ratio } } });
    expect(reading && "figures" in reading ? reading.figures.map(shown) : "unclear").toEqual(expected);
  });

  const zai = (counts: object) => {
    const limit = { type: "TOKENS_LIMIT", unit: 3, number: 5, percentage: 30, ...counts };
    const reading = read("api.z.ai", { code: 200, data: { limits: [limit] } });
    return reading && "figures" in reading ? reading.figures.map(shown) : "unclear";
  };
  test.each([
    ["none", {}, ["5h 30 null"]],
    ["no count of what is used", { usage: 100, remaining: 70 }, ["5h 30 null"]],
    ["nearly the same share", { usage: 1000, currentValue: 315 }, ["5h 30 null"]],
    ["another share", { usage: 1000, currentValue: 316 }, "unclear"],
    ["all of it left", { usage: 100, remaining: 100 }, ["5h 30 null"]],
    ["more left than there is", { usage: 100, remaining: 101 }, "unclear"],
  ])("of Z.ai with counts: %s", (_, counts, expected) => expect(zai(counts)).toEqual(expected));

  test("of an OpenRouter key without a limit has what was spent, and one that never resets has no period", () => {
    const data = { limit: null, limit_remaining: null, limit_reset: null, usage: 25.5 };
    expect(read("openrouter.ai", { data })).toMatchObject({
      figures: [{ kind: "spent", amount: 25.5, currency: "USD" }],
    });
    const never = { ...data, limit: 10, limit_remaining: -0.02 };
    expect(read("openrouter.ai", { data: never })).toMatchObject({
      figures: [{ name: "limit", hours: null, used_percent: 100, resets_at: null }, { amount: -0.02 }],
    });
  });

  test.each([
    [10, "all of it", 10, ["limit 0 null", "balance 10 USD"]],
    [10, "more than all of it", 10.01, "unclear"],
    [10, "nobody knows how much", null, "unclear"],
    [0.5, "half of it", 0.25, ["limit 50 null", "balance 0.25 USD"]],
    [0, "all of it", 0, "unclear"],
  ])("of an OpenRouter key with a limit of %p of which is left: %s", (limit, _, limit_remaining, expected) => {
    const reading = read("openrouter.ai", { data: { limit, limit_remaining, limit_reset: null, usage: 0 } });
    expect(reading && "figures" in reading ? reading.figures.map(shown) : "unclear").toEqual(expected);
  });

  test.each([
    ["weekly", "2026-09-14T00:00:00.000Z"],
    ["monthly", "2026-10-01T00:00:00.000Z"],
  ])("of an OpenRouter key with a %s limit resets at %s", (reset, at) =>
    expect(read("openrouter.ai", changed("openrouter.ai", '"daily"', `"${reset}"`))).toMatchObject({
      figures: [{ resets_at: at }, {}],
    }),
  );
});

describe("a refusal in a successful answer", () => {
  const table: [host: RecordedHost, json: unknown, refusal: string, isAboutKey: boolean][] = [
    ["api.z.ai", { code: 401, msg: "token expired or incorrect", success: false }, "token expired or incorrect", true],
    ["api.z.ai", { code: 1001, msg: "Header中未收到Authorization参数" }, "Header中未收到Authorization参数", true],
    ["api.z.ai", { code: 500, msg: "no coding plan", data: null }, "no coding plan", false],
    ["api.minimax.io", { base_resp: { status_code: 1004, status_msg: "login fail" } }, "login fail", true],
    ["api.minimax.io", { base_resp: { status_code: 1000, status_msg: "" } }, "code 1000", false],
    ["api.siliconflow.com", { code: 10001, message: "invalid token" }, "invalid token", false],
    ["api.moonshot.ai", { code: 5, scode: "0x5", status: false }, "code 0x5", false],
  ];
  test.each(table)("of %s: %p", (host, json, refusal, isAboutKey) =>
    expect(read(host, json)).toEqual({ refusal, isAboutKey }),
  );
});

describe("an answer of another form is not understood", () => {
  test.each(HOSTS)("from %s", (host) => {
    for (const odd of [undefined, null, [], {}, "text", 7, { data: {} }, { data: null }, { error: { message: "no" } }])
      expect(read(host, odd)).toHaveProperty("unclear");
  });

  test.each(HOSTS)("from %s with a figure that is text, missing or of another kind", (host) => {
    for (const wrong of ['"many"', "null", "[]", "{}"]) {
      const figures = JSON.stringify(RECORDED[host].json).replace(MEASURED, `"$1":${wrong}`);
      expect(read(host, JSON.parse(figures))).toHaveProperty("unclear");
    }
  });

  /** What a reading rests on. */
  const MEASURED =
    /"(percentage|limit|used_ratio|available_balance|current_interval_remaining_percent|total_balance|totalBalance|balance|usage)":("[\d.]+"|-?[\d.]+)/g;

  const LEFT = "current_interval_remaining_percent";
  const table: [host: RecordedHost, what: string, from: string, to: string][] = [
    ["api.z.ai", "more than 100%", '"percentage":100', '"percentage":120'],
    ["api.z.ai", "less than 0%", '"percentage":20', '"percentage":-5'],
    ["api.z.ai", "a percentage that contradicts the counts", '"percentage":20', '"percentage":80'],
    ["api.z.ai", "more left than there is", '"remaining":7994', '"remaining":79940'],
    ["api.z.ai", "an unknown unit", '"unit":6', '"unit":7'],
    ["api.z.ai", "no unit", '"unit":6', '"units":6'],
    ["api.z.ai", "a 5-hour window that resets in a week", '"unit":6,"number":1', '"unit":3,"number":5'],
    ["api.z.ai", "a time in seconds", "1787210351998", "1787210351"],
    ["api.z.ai", "a window that ended yesterday", "1786624439633", "1786538039633"],
    ["api.kimi.com", "two values for one window", '"limit_7d":{"used_ratio":0', '"limit_7d":{"used_ratio":0.9'],
    ["api.kimi.com", "more left than there is", '"remaining":"100"', '"remaining":"150"'],
    ["api.kimi.com", "nothing that is used or left", '"remaining":"100"', '"rest":"100"'],
    ["api.kimi.com", "an unknown unit", "TIME_UNIT_MINUTE", "TIME_UNIT_FORTNIGHT"],
    ["api.kimi.ai", "a ratio in percent", '"used_ratio":0.3', '"used_ratio":30'],
    ["api.kimi.ai", "a time that is none", "2026-10-16T00:00:00Z", "next month"],
    ["api.minimax.io", "counts alone", '"current_interval_remaining_percent":13', '"x":13'],
    ["api.minimax.io", "rows of single models", '"model_name":"general"', '"model_name":"MiniMax-M*"'],
    ["api.minimax.io", "an unknown status", '"current_weekly_status":1', '"current_weekly_status":9'],
    ["api.minimax.io", "a time in seconds", "1780516800000", "1780516800"],
    ["api.minimaxi.com", "used up, but something left", `"${LEFT}":0`, `"${LEFT}":1`],
    ["api.deepseek.com", "an unknown currency", '"CNY"', '"credits"'],
    ["openrouter.ai", "more left than the limit", "29.7", "31"],
    ["openrouter.ai", "an unknown period", '"daily"', '"hourly"'],
  ];
  test.each(table)("%s: %s", (host, _, from, to) =>
    expect(read(host, changed(host, from, to))).toHaveProperty("unclear"),
  );

  const general = (row: object) => ({ model_remains: [{ model_name: "general", ...row }] });
  const zaiLimit = { type: "TOKENS_LIMIT", unit: 3, number: 5, percentage: 30 };
  const why: [host: RecordedHost, json: unknown, unclear: string][] = [
    ["api.minimax.io", { model_remains: [{ model_name: "video" }] }, "it has no row for text models"],
    ["api.minimax.io", {}, "it has no row for text models"],
    ["api.minimax.io", general({ current_interval_status: 3, current_weekly_status: 3 }), "it names no limit"],
    [
      "api.z.ai",
      { data: { limits: [zaiLimit, { ...zaiLimit, usage: 100, remaining: 101 }] } },
      "the figures of limit 2 contradict each other",
    ],
    ["api.z.ai", { data: { limits: [] } }, "it names no limit of a kind that ccc knows"],
  ];
  test.each(why)("%s, and the user learns why: %j", (host, json, unclear) =>
    expect(read(host, json)).toEqual({ unclear }),
  );

  test("a contradiction is shown with both values, as a user with an exhausted week saw it", () => {
    const json = {
      usage: { limit: "100", used: "100", resetTime: "2026-09-24T02:09:07.465054Z" },
      usages: { limit_7d: { used_ratio: 0, reset_time: "2026-09-24T02:09:07Z" } },
    };
    expect(read("api.kimi.com", json)).toEqual({
      unclear: "it contradicts itself: 100% and 0% of the weekly window are used",
    });
  });
});
