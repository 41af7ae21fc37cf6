/** Answers as they were published by users of each provider or in its documentation, without what identifies an account. */
export const RECORDED = {
  "api.z.ai": {
    // A credit plan, a little over its 5-hour limit.
    at: "2026-08-13T12:00:00Z",
    json: {
      code: 200,
      msg: "Operation successful",
      data: {
        limits: [
          {
            type: "CREDIT_LIMIT",
            unit: 3,
            number: 5,
            usage: 2000,
            currentValue: 2005,
            remaining: 0,
            percentage: 100,
            nextResetTime: 1786624439633,
          },
          {
            type: "CREDIT_LIMIT",
            unit: 6,
            number: 1,
            usage: 10000,
            currentValue: 2005,
            remaining: 7994,
            percentage: 20,
            nextResetTime: 1787210351998,
          },
        ],
        level: "lite",
      },
      success: true,
    },
    shown: ["5h 100 2026-08-13T12:33:59.633Z", "week 20 2026-08-20T07:19:11.998Z"],
  },
  "open.bigmodel.cn": {
    // An older plan: tokens without counts, and web tools.
    at: "2026-02-14T10:00:00Z",
    json: {
      code: 200,
      msg: "操作成功",
      data: {
        limits: [
          {
            type: "TIME_LIMIT",
            unit: 5,
            number: 1,
            usage: 100,
            currentValue: 28,
            remaining: 72,
            percentage: 28,
            nextResetTime: 1772615765983,
            usageDetails: [{ modelCode: "search-prime", usage: 67 }],
          },
          { type: "TOKENS_LIMIT", unit: 3, number: 5, percentage: 1, nextResetTime: 1771073738808 },
          { type: "SOMETHING_NEW", percentage: 99 },
        ],
        level: "lite",
      },
      success: true,
    },
    shown: ["tools 28 2026-03-04T09:16:05.983Z", "5h 1 2026-02-14T12:55:38.808Z"],
  },
  "api.kimi.com": {
    at: "2026-09-22T02:00:00Z",
    json: {
      usage: { limit: "100", remaining: "100", resetTime: "2026-09-26T12:32:15.376980Z" },
      limits: [
        {
          window: { duration: 300, timeUnit: "TIME_UNIT_MINUTE" },
          detail: { limit: "100", remaining: "100", resetTime: "2026-09-22T04:32:15.376980Z" },
        },
      ],
      usages: {
        limit_5h: { used_ratio: 0, reset_time: "2026-09-22T04:32:14Z" },
        limit_7d: { used_ratio: 0, reset_time: "2026-09-26T12:32:14Z" },
      },
    },
    shown: ["5h 0 2026-09-22T04:32:15.376Z", "week 0 2026-09-26T12:32:15.376Z"],
  },
  "api.kimi.ai": {
    // Counts of zero stand for a plan that has ratios only.
    at: "2026-09-16T15:30:00Z",
    json: {
      limits: [
        {
          window: { duration: 300, timeUnit: "TIME_UNIT_MINUTE" },
          detail: { limit: "0", used: "0", remaining: "0", resetTime: "2026-09-16T20:11:32.979529Z" },
        },
      ],
      usages: {
        limit_5h: { used_ratio: 0.3, reset_time: "2026-09-16T20:11:32Z" },
        limit_month_total: { used_ratio: 0.4, reset_time: "2026-10-16T00:00:00Z" },
        limit_month_code: { used_ratio: 0.25, reset_time: "2026-10-16T00:00:00Z" },
      },
    },
    shown: ["5h 30 2026-09-16T20:11:32.000Z", "month 40 2026-10-16T00:00:00.000Z"],
  },
  "api.moonshot.ai": {
    at: "2026-10-13T00:00:00Z",
    json: {
      code: 0,
      data: { available_balance: 49.58894, voucher_balance: 46.58893, cash_balance: 3.00001 },
      scode: "0x0",
      status: true,
    },
    shown: ["balance 49.58894 USD"],
  },
  "api.moonshot.cn": {
    at: "2026-10-13T00:00:00Z",
    json: {
      code: 0,
      data: { available_balance: 0, voucher_balance: 0, cash_balance: -3.5 },
      scode: "0x0",
      status: true,
    },
    shown: ["balance 0 CNY"],
  },
  "api.minimax.io": {
    at: "2026-06-03T18:40:00Z",
    json: {
      model_remains: [
        {
          model_name: "video",
          current_interval_total_count: 3,
          current_interval_usage_count: 0,
          current_interval_remaining_percent: 100,
          current_interval_status: 1,
        },
        {
          model_name: "general",
          start_time: 1780498800000,
          end_time: 1780516800000,
          remains_time: 4325211,
          current_interval_total_count: 0,
          current_interval_usage_count: 0,
          current_interval_remaining_percent: 13,
          current_interval_status: 1,
          current_weekly_total_count: 0,
          current_weekly_usage_count: 0,
          current_weekly_remaining_percent: 98,
          current_weekly_status: 1,
          weekly_end_time: 1780876800000,
        },
      ],
      base_resp: { status_code: 0, status_msg: "success" },
    },
    shown: ["5h 87 2026-06-03T20:00:00.000Z", "week 2 2026-06-08T00:00:00.000Z"],
  },
  "api.minimaxi.com": {
    // A plan without a weekly limit, whose percentage then means nothing; the other window is used up.
    at: "2026-06-03T18:40:00Z",
    json: {
      model_remains: [
        {
          model_name: "general",
          end_time: 1780516800000,
          current_interval_remaining_percent: 0,
          current_interval_status: 2,
          current_weekly_remaining_percent: 100,
          current_weekly_status: 3,
        },
      ],
      base_resp: { status_code: 0, status_msg: "success" },
    },
    shown: ["5h 100 2026-06-03T20:00:00.000Z"],
  },
  "api.deepseek.com": {
    at: "2026-11-16T00:00:00Z",
    json: {
      is_available: true,
      balance_infos: [
        { currency: "CNY", total_balance: "110.00", granted_balance: "10.00", topped_up_balance: "100.00" },
        { currency: "USD", total_balance: "0.50", granted_balance: "0.00", topped_up_balance: "0.50" },
      ],
    },
    shown: ["balance 110 CNY", "balance 0.5 USD"],
  },
  "openrouter.ai": {
    at: "2026-09-07T12:00:00Z",
    json: {
      data: {
        label: "sk-or-v1-au7...890",
        limit: 30,
        limit_remaining: 29.7,
        limit_reset: "daily",
        usage: 3.17561396,
        is_management_key: false,
      },
    },
    shown: ["day 1 2026-09-08T00:00:00.000Z", "balance 29.7 USD"],
  },
  "api.siliconflow.com": {
    at: "2026-11-16T00:00:00Z",
    json: {
      code: 20000,
      message: "OK",
      status: true,
      data: { id: "userid", balance: "0.88", status: "normal", chargeBalance: "88.00", totalBalance: "88.88" },
    },
    shown: ["balance 88.88 USD"],
  },
  "api.siliconflow.cn": {
    at: "2026-11-16T00:00:00Z",
    json: { code: 20000, message: "OK", status: true, data: { totalBalance: "55.5" } },
    shown: ["balance 55.5 CNY"],
  },
  "api.stepfun.ai": {
    at: "2026-11-16T00:00:00Z",
    json: { object: "account", type: "prepaid", balance: 8.5, total_cash_balance: 20, total_voucher_balance: 5 },
    shown: ["balance 8.5 USD"],
  },
  "api.stepfun.com": {
    at: "2026-11-16T00:00:00Z",
    json: { object: "account", type: "prepaid", balance: 0, total_cash_balance: 0, total_voucher_balance: 0 },
    shown: ["balance 0 CNY"],
  },
} as const;

export type RecordedHost = keyof typeof RECORDED;
