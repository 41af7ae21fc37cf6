import { describe, expect, test } from "bun:test";
import { newPlace } from "../../harness.ts";

const KEY = "sk-reviewer-0123456789abcdef";
/** Enough text that an excerpt of 500 characters starts or ends in the middle of the key. */
const BESIDE = "x".repeat(490);

describe("a key at the edge of an excerpt is not shown in part:", () => {
  const table: [name: string, script: string][] = [
    ["the reviewer's stderr", `printf '%s%s' '${KEY}' '${BESIDE}' >&2; exit 1`],
    ["a line that is not JSON", `printf '%s%s\\n' '${BESIDE}' '${KEY}'`],
    ["an error in its result", `printf '{"type":"result","is_error":true,"result":"%s%s"}\\n' '${BESIDE}' '${KEY}'`],
  ];
  for (const [name, script] of table) {
    test(name, async () => {
      await using place = await newPlace();
      await place.write(place.at("reviewer.json"), { env: { ANTHROPIC_AUTH_TOKEN: KEY } });
      await place.standIn(`head -n 1 > /dev/null; ${script}`);
      const args = ["supervisor-hook", "--settings", place.at("reviewer.json"), "--announce"];
      const { stdout, stderr } = await place.ccc(args, { stdin: JSON.stringify({ session_id: "abc" }) });
      expect(stdout + stderr).toContain("xxx");
      for (const part of [KEY.slice(0, 8), KEY.slice(-8)]) expect(stdout + stderr).not.toContain(part);
    });
  }
});
