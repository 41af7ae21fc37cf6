import assert from "node:assert";
import test from "node:test";
import { total } from "./total.js";

test("adds the tax", () => {
  assert.equal(total([10, 20]), 36);
});

test("subtracts a voucher before the tax", () => {
  assert.equal(total([10, 20], 5), 30);
});
