import { describe, expect, test } from "bun:test";
import { CLOUDS, hostOf } from "../../../src/claude/clouds.ts";
import { BLANKS } from "../../../src/providers/variables.ts";

test("a launch blanks the variables of all known clouds, and of no other", () => {
  const blanked = Object.keys(BLANKS).filter((name) => name.startsWith("CLAUDE_CODE_USE_"));
  expect(CLOUDS.map(({ variable }) => variable).sort()).toEqual(blanked.sort());
});

describe("hostOf", () => {
  const table: [env: Record<string, string>, host: string][] = [
    [{}, "Anthropic"],
    [{ CLAUDE_CODE_USE_BEDROCK: "0" }, "Anthropic"],
    [{ CLAUDE_CODE_USE_BEDROCK: "true" }, "AWS"],
    [{ CLAUDE_CODE_USE_VERTEX: "1" }, "Google Cloud"],
    [{ CLAUDE_CODE_USE_GATEWAY: "1" }, "a gateway"],
  ];
  for (const [env, host] of table) test(JSON.stringify(env), () => expect(hostOf(env)).toBe(host));
});
