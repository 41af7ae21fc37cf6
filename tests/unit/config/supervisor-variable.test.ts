import { describe, expect, test } from "bun:test";
import { supervisorVariable } from "../../../src/config/supervisor-variable.ts";

describe("CCC_SUPERVISOR", () => {
  const table: [value: string | undefined, meaning: boolean | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ...["1", "true", "YES", "On", " 1 "].map((value): [string, boolean] => [value, true]),
    ...["0", "false", "No", "OFF"].map((value): [string, boolean] => [value, false]),
  ];
  test.each(table)("%p is %p", (value, meaning) => {
    expect(supervisorVariable({ CCC_SUPERVISOR: value })).toBe(meaning);
  });

  test.each(["2", "enabled", "01", "constructor"])("%p is an error", (value) => {
    const read = () => supervisorVariable({ CCC_SUPERVISOR: value });
    expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: "CCC_SUPERVISOR is neither on nor off" }));
  });
});
