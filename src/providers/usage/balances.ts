import * as v from "valibot";
import { AMOUNT, type UsageReader, type UsageReading, understand } from "./usage-reading.ts";

/** One balance for each currency. */
export function readDeepseekBalance(json: unknown): UsageReading {
  return understand(DEEPSEEK, json, ({ balance_infos: infos }) => ({
    figures: infos.map(({ currency, total_balance: amount }) => ({
      kind: "balance",
      label: BALANCE,
      amount,
      currency,
    })),
  }));
}

/** The answers of the others do not name their currency: it is that of the host. */
export function moonshotBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(MOONSHOT, json, ({ code, data, scode }) =>
      code === 0 ? money(data?.available_balance, currency) : { refusal: `code ${scode ?? code}`, isAboutKey: false },
    );
}

export function siliconflowBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(SILICONFLOW, json, ({ code, message, data }) =>
      code === 20_000 ? money(data?.totalBalance, currency) : { refusal: message || `code ${code}`, isAboutKey: false },
    );
}

/** Of the account. What is left of a Step Plan can be seen in the console only. */
export function stepfunBalance(currency: Currency): UsageReader {
  return (json) =>
    understand(STEPFUN, json, ({ balance }) => money(balance, currency, "balance outside the Step Plan"));
}

type Currency = "USD" | "CNY";

const BALANCE = "balance";

const DEEPSEEK = v.object({
  is_available: v.boolean(),
  balance_infos: v.pipe(
    v.array(v.object({ currency: v.picklist(["USD", "CNY"]), total_balance: AMOUNT })),
    v.minLength(1),
  ),
});

const MOONSHOT = v.object({
  code: v.number(),
  data: v.nullish(v.object({ available_balance: AMOUNT })),
  scode: v.nullish(v.string()),
});

const SILICONFLOW = v.object({
  code: v.number(),
  message: v.nullish(v.string()),
  data: v.nullish(v.object({ totalBalance: AMOUNT })),
});

const STEPFUN = v.object({ object: v.literal("account"), balance: AMOUNT });

function money(amount: number | undefined, currency: Currency, label = BALANCE): UsageReading {
  return amount === undefined
    ? { unclear: "data is missing" }
    : { figures: [{ kind: "balance", label, amount, currency }] };
}
