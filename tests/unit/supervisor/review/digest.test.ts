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
  test("shows the last lines of commands and of what failed, fewer of those that ran no tests", () =>
    expect(
      digest(
        tool("Bash", "npm test", "a\n\nb"),
        tool("Bash", "cat x", "1\n2\n3\n4\n5"),
        tool("Bash", "make", "1\n2\n3\n4\n5\n6\n7\n8\n9"),
        tool("Read", "/p/y", "not shown"),
        tool("Read", "/p/x", "no such file", true),
      ),
    ).toBe(
      "- Bash: npm test\n    | a\n    | b\n- Bash: cat x\n    | 2\n    | 3\n    | 4\n    | 5\n" +
        "- Bash: make\n    | 2\n    | 3\n    | 4\n    | 5\n    | 6\n    | 7\n    | 8\n    | 9\n- Read: y\n- Read: x → FAILED\n    | no such file",
    ));
  test("leaves out the output of commands that ran no tests before any step", () => {
    const steps = [tool("Bash", "cat x", "y".repeat(150)), tool("Bash", "npm test", "2 pass")];
    expect(digestOf(steps, "/p", 100)).toBe("- Bash: cat x\n- Bash: npm test\n    | 2 pass");
  });
  test("shows that output if all of it just fits", () => {
    const steps = [tool("Bash", "cat x", "y")];
    expect(digestOf(steps, "/p", 22)).toBe("- Bash: cat x\n    | y");
    expect(digestOf(steps, "/p", 21)).toBe("- Bash: cat x");
  });
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
  test("says how many lines are left out", () => {
    const steps = ["a", "b", "c"].map((name) => tool("Read", `/p/${name}`));
    expect(digestOf(steps, "/p", 30)).toBe("- Read: a\n- Read: b\n- Read: c");
    expect(digestOf(steps, "/p", 29)).toBe("[… 1 earlier line is left out …]\n- Read: b\n- Read: c");
    expect(digestOf(steps, "/p", 19)).toBe("[… 2 earlier lines are left out …]\n- Read: c");
  });
  test("says that there was more before, also if all steps fit", () =>
    expect(digestOf([tool("Read", "/p/x")], "/p", 200, true)).toBe("[… earlier lines are left out …]\n- Read: x"));
});
