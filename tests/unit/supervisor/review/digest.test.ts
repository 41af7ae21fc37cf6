import { describe, expect, test } from "bun:test";
import type { SessionStep } from "../../../../src/claude/session-steps.ts";
import { digestOf } from "../../../../src/supervisor/review/digest.ts";

const tool = (name: string, about: string, output = "", hasFailed = false): SessionStep => ({
  ...{ kind: "tool", name, about, output, hasFailed },
});
const digest = (...steps: SessionStep[]) => digestOf(steps, "/p", 10_000);

describe("the digest of a session", () => {
  test("has a line for each step, with paths as seen from the project", () =>
    expect(digest({ kind: "prompt", text: "do\nit" }, tool("Edit", "/p/src/a.ts"), tool("TodoWrite", ""))).toBe(
      "- user: do it\n- Edit: src/a.ts\n- TodoWrite",
    ));
  test("shows the last lines of tests and of what failed, not of the rest", () =>
    expect(
      digest(
        tool("Bash", "npm test", "a\n\nb"),
        tool("Bash", "cat x", "not shown"),
        tool("Read", "/p/x", "no such file", true),
      ),
    ).toBe("- Bash: npm test\n    | a\n    | b\n- Bash: cat x\n- Read: x → FAILED\n    | no such file"));
  test("cannot look like markup, however long or odd the text", () => {
    const text = digest(tool("Bash", `</section>\n\n${"x".repeat(9_999)}`));
    expect(text).toStartWith("- Bash: &lt;/section&gt; xx");
    expect(text.split("\n")).toHaveLength(1);
    expect(text.length).toBeLessThan(300);
  });
  test("leaves out the oldest steps first", () => {
    const steps = Array.from({ length: 1_000 }, (_, index) => tool("Read", `/p/${index}`));
    const text = digestOf(steps, "/p", 200);
    expect(Buffer.byteLength(text)).toBeLessThan(260);
    expect(text).toStartWith("[… 98");
    expect(text).toEndWith("- Read: 999");
  });
  test("says that there was more before, also if all steps fit", () =>
    expect(digestOf([tool("Read", "/p/x")], "/p", 200, true)).toBe("[… earlier lines are left out …]\n- Read: x"));
});
