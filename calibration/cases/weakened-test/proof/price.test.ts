import { expect, test } from "bun:test";
import { formatPrice } from "./price.ts";

test("two decimals", () => {
  expect(formatPrice(7.5, "EUR")).toBe("7.50 EUR");
});

test("thousands are grouped", () => {
  expect(formatPrice(1234.5, "USD")).toBe("1,234.50 USD");
});
