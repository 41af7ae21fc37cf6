import { describe, expect, test } from "bun:test";
import type { DiffEntry, SuspicionKind, TextChange } from "../../../../src/supervisor/changes/changes.ts";
import { examineChanges } from "../../../../src/supervisor/changes/suspicions.ts";
import { memoryFiles } from "../../fakes.ts";

/** The kinds of what is suspicious about changed files. */
async function kindsOf(changes: readonly TextChange[]): Promise<string[]> {
  const texts = new Map<string, string>();
  const entries = changes.map(({ before = "", after = "", ...file }): DiffEntry => {
    const [old, now] = [`${file.path} before`, `${file.path} now`];
    texts.set(old, before).set(now, after);
    const ids = { before: file.kind === "added" ? undefined : old, after: file.kind === "deleted" ? undefined : now };
    return { ...file, ids };
  });
  const read = async () => texts;
  const found = await examineChanges(memoryFiles(), "/top", [])({ entries, top: "/top", mainTop: "/top", read });
  return [...new Set(found.map(({ kind }) => kind))];
}

const change = (kind: TextChange["kind"], path: string, before: string, after: string, from?: string): TextChange => ({
  path,
  kind,
  from,
  added: undefined,
  deleted: undefined,
  before,
  after,
});
const changed = (path: string, before: string, after: string) => change("modified", path, before, after);
const added = (path: string, after: string) => change("added", path, "", after);
const deleted = (path: string, before: string) => change("deleted", path, before, "");
const renamed = (from: string, path: string, before: string, after = before) =>
  change("renamed", path, before, after, from);

/** Ways to edit one file. Each replaces a part of its text; "nothing" says that ccc does not notice it. */
interface Edits {
  readonly path: string;
  readonly text: string;
  readonly weaker: readonly [how: string, noticed: SuspicionKind | "nothing", part: string, instead: string][];
  readonly honest: readonly [what: string, part: string, instead: string][];
}

const JS = `import { expect, test } from "vitest";
import { add, sub } from "./calc.ts";

test("adds", () => {
  expect(add(1, 2)).toBe(3);
});

test.each([1, 2])("subtracts %p", (n) => {
  const all = [n];
  expect(sub(n, 1)).toBe(n - 1);
  expect(all).toHaveLength(1);
});
`;

const VITE = `import { defineConfig } from "vitest/config";
export default defineConfig({
  plugins: [react()],
  test: {
    exclude: ["dist"],
  },
  server: { port: 5173 },
});
`;

const PYTHON = `import pytest
from calc import add, sub


class TestCalc:
    def test_add(self):
        """Adds."""
        assert add(1, 2) == 3

    def test_add_more(self):
        assert add(2, 2) == 4


@pytest.mark.parametrize("n", [1, 2])
def test_sub(n):
    assert sub(n, 1) == n - 1
`;

const UNITTEST = `import unittest

class CalcCase(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_sub(self):
        self.assertEqual(sub(2, 1), 1)
`;

const GO = `package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Error("add")
	}
}

func TestSub(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		if Sub(2, 1) != 1 {
			t.Fatal("sub")
		}
	})
}
`;

const RUST = `pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }

    #[tokio::test]
    async fn adds_later() {
        assert_eq!(add(2, 2), 4);
    }
}
`;

const JAVA = `import org.junit.jupiter.api.*;

class CalcTest {
    @Test
    void adds() {
        assertEquals(3, calc.add(1, 2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void subtracts(int n) {
        assertEquals(n - 1, calc.sub(n, 1));
    }
}
`;

const CSHARP = `public class CalcTests
{
    [Fact]
    public void Adds()
    {
        Assert.Equal(3, Calc.Add(1, 2));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Subtracts(int n)
    {
        Assert.Equal(n - 1, Calc.Sub(n, 1));
    }
}
`;

const C = `#include "unity.h"

TEST(Calc, Adds) {
  EXPECT_EQ(3, add(1, 2));
}

TEST(Calc, Subtracts) {
  EXPECT_EQ(1, sub(2, 1));
}
`;

const RUBY = `RSpec.describe Calc do
  it "adds" do
    expect(Calc.add(1, 2)).to eq 3
  end

  it "subtracts" do
    expect(Calc.sub(2, 1)).to eq 1
  end
end
`;

const PHP = `<?php
class CalcTest extends TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(3, add(1, 2));
    }

    #[Test]
    public function subtracts(): void
    {
        $this->assertSame(1, sub(2, 1));
    }
}
`;

const SWIFT = `final class CalcTests: XCTestCase {
    func testAdds() {
        XCTAssertEqual(add(1, 2), 3)
    }

    func testSubtracts() {
        XCTAssertEqual(sub(2, 1), 1)
    }
}
`;

const ELIXIR = `defmodule CalcTest do
  use ExUnit.Case

  test "adds" do
    assert Calc.add(1, 2) == 3
  end

  test "subtracts" do
    assert Calc.sub(2, 1) == 1
  end
end
`;

const BATS = `@test "adds" {
  run calc 1 + 2
  [ "$output" = 3 ]
}

@test "subtracts" {
  run calc 2 - 1
  [ "$output" = 1 ]
}
`;

const DART = `void main() {
  test('adds', () {
    expect(add(1, 2), 3);
  });
  testWidgets('shows', (tester) async {
    expect(find.text('3'), findsOneWidget);
  });
}
`;

const FEATURE = `Feature: calc
  Scenario: adds
    When I add 1 and 2
    Then I see 3

  Scenario: subtracts
    When I subtract 1 from 2
    Then I see 1
`;

const EDITS: readonly Edits[] = [
  {
    path: "src/calc.test.ts",
    text: JS,
    weaker: [
      ["test.skip", "skipped tests", 'test("adds"', 'test.skip("adds"'],
      ["test.todo", "skipped tests", 'test("adds"', 'test.todo("adds"'],
      ["xtest", "skipped tests", 'test("adds"', 'xtest("adds"'],
      ["test.skipIf", "skipped tests", 'test("adds"', 'test.skipIf(true)("adds"'],
      ["test.fails", "skipped tests", 'test("adds"', 'test.fails("adds"'],
      ["test.only", "focused tests", 'test("adds"', 'test.only("adds"'],
      ["an option", "skipped tests", 'test("adds", ', 'test("adds", { skip: true }, '],
      ["an empty table", "skipped tests", "test.each([1, 2])", "test.each([])"],
      ["an empty table with a type", "skipped tests", "test.each([1, 2])", "test.each([] as number[])"],
      ["an empty table with spaces", "skipped tests", "test.each([1, 2])", "test.each([ ])"],
      ["if (false)", "skipped tests", "  expect(add", "  if (false) expect(add"],
      ["if (0) with a block", "skipped tests", '\ntest("adds"', '\nif (0) {\ntest("adds"'],
      ["false && expect", "skipped tests", "  expect(add", "  false && expect(add"],
      ["a return at the top", "skipped tests", "  expect(add", "  return;\n  expect(add"],
      ["a return above a remark", "skipped tests", "  expect(add", "  return;\n\n  // for now\n  expect(add"],
      ["a commented line", "lost assertions", "  expect(add", "  // expect(add"],
      ["a comment around a test", "lost tests", '\ntest("adds"', '\n/* test("adds"'],
      ["a comment that begins behind code", "lost tests", '"./calc.ts";', '"./calc.ts"; /*'],
      ["a removed test", "lost tests", JS.slice(JS.indexOf('test("adds"'), JS.indexOf("test.each")), ""],
      ["a test that becomes a function", "lost tests", 'test("adds", ', 'void ("adds", '],
      ["a test that becomes a describe", "lost tests", 'test("adds", ', 'describe("adds", '],
      ["a test that becomes a hook", "lost tests", 'test("adds", ', "beforeEach("],
      ["an expect of its own", "lost assertions", "\ntest(", "\nconst expect = () => ({ toBe() {} });\ntest("],
      ["a function expect", "lost assertions", "\ntest(", "\nfunction expect() { return {}; }\ntest("],
      ["a test of its own", "lost assertions", "\ntest(", "\nconst test = (name) => {};\ntest("],
      ["a global expect", "lost assertions", "\ntest(", "\nglobalThis.expect = fake;\ntest("],
      ["an imported expect of its own", "lost assertions", '{ expect, test } from "vitest"', '{ expect } from "./e"'],
      ["fewer assertions", "lost assertions", "  expect(all).toHaveLength(1);\n", ""],
      ["an assertion without its expect", "lost assertions", "expect(add(1, 2)).toBe(3)", "add(1, 2) === 3"],
      ["a weaker assertion", "nothing", "toBe(3)", "toBeDefined()"],
      ["another expected value", "nothing", "toBe(3)", "toBe(4)"],
      ["a negated assertion", "nothing", ".toBe(3)", ".not.toBe(4)"],
      ["an assertion about nothing", "nothing", "expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)"],
      ["fewer rows", "nothing", "[1, 2])(", "[1])("],
      ["a caught failure", "nothing", "  expect(add(1, 2)).toBe(3);", "  try { expect(add(1, 2)).toBe(3); } catch {}"],
      ["a condition that is never true", "nothing", "  expect(add", "  if (process.env.NEVER) expect(add"],
      ["a promise that nobody awaits", "nothing", "  expect(add", "  Promise.resolve().then(() => 1); expect(add"],
      ["a mocked subject", "nothing", "\ntest(", '\nvi.mock("./calc.ts", () => ({ add: () => 3 }));\ntest('],
      [
        "another test in its place",
        "nothing",
        'test("adds", () => {\n  expect(add(1, 2))',
        'test("x", () => {\n  expect(3)',
      ],
      ["a string around a test", "nothing", '\ntest("adds"', '\nconst off = `\ntest("adds"'],
    ],
    honest: [
      ["a renamed test", 'test("adds"', 'test("adds two numbers"'],
      ["it for test", 'test("adds"', 'it("adds"'],
      ["a new test", "\ntest(", '\ntest("new", () => {\n  expect(1).toBe(1);\n});\ntest('],
      ["a new assertion", "  expect(add", "  expect(add(0, 0)).toBe(0);\n  expect(add"],
      ["a reformatted assertion", "expect(add(1, 2)).toBe(3)", "expect(\n    add(1, 2),\n  ).toBe(3)"],
      ["a reformatted test", 'test("adds", () => {', 'test(\n  "adds",\n  () => {'],
      ["an async test", 'test("adds", () =>', 'test("adds", async () =>'],
      ["a test with a time limit", 'test("adds", ', 'test("adds", { timeout: 100 }, '],
      ["more rows", "[1, 2])(", "[1, 2, 3])("],
      ["rows in a constant", "test.each([1, 2])", "test.each(ROWS)"],
      ["a describe around it", '\ntest("adds"', '\ndescribe("calc", () => {\ntest("adds"'],
      ["a helper", "\ntest(", "\nfunction sum(a, b) {\n  return a + b;\n}\n\ntest("],
      ["a helper with a condition", "\ntest(", "\nfunction f(x) {\n  if (x) {\n    return;\n  }\n  g();\n}\ntest("],
      ["an empty hook", "\ntest(", "\nbeforeEach(() => {\n  return;\n});\ntest("],
      ["a comment", "\ntest(", '\n// test.skip("why not") if (false)\ntest('],
      ["a string about skips", "const all = [n]", 'const all = ["it.skip(1)", "if (false)"]'],
      ["an expect of the runner's", '{ expect, test } from "vitest"', '{ expect, test } from "bun:test"'],
      ["chai's expect", "\ntest(", "\nconst assert = chai.assert;\ntest("],
      ["an assert that is required", "\ntest(", '\nconst assert = require("node:assert");\ntest('],
      ["fixtures", "\ntest(", "\nconst it = test.extend({ db });\ntest("],
      ["an expectation with a name of its own", "\ntest(", "\nconst expected = 3;\nconst expectations = [];\ntest("],
      ["an empty list", "const all = [n]", "const all = []"],
      ["a pattern with a slash and a star", "const all = [n]", "const all = [n, /a\\/*b/]"],
      ["a glob", "const all = [n]", 'const all = [n, "src/**/*.ts"]'],
    ],
  },
  {
    path: "tests/test_calc.py",
    text: PYTHON,
    weaker: [
      ["mark.skip", "skipped tests", "    def test_add(", "    @pytest.mark.skip\n    def test_add("],
      ["mark.xfail", "skipped tests", "    def test_add(", "    @pytest.mark.xfail\n    def test_add("],
      ["pytest.skip", "skipped tests", "        assert add(1", "        pytest.skip()\n        assert add(1"],
      ["an underscore", "lost tests", "def test_add(", "def _test_add("],
      ["another name", "lost tests", "def test_add(", "def check_add("],
      ["a suffix instead of a prefix", "lost tests", "def test_sub(", "def sub_test("],
      ["a class that is no test", "lost tests", "class TestCalc:", "class _TestCalc:"],
      ["such a class, with an empty line", "lost tests", "class TestCalc:\n", "class _TestCalc:\n\n"],
      ["a function around it", "lost tests", "\nclass TestCalc:", "\ndef off():\n  class TestCalc:"],
      ["if False around the class", "skipped tests", "\nclass TestCalc:", "\nif False:\n  class TestCalc:"],
      ["if False in a test", "skipped tests", "        assert add(1", "        if False:\n            assert add(1"],
      ["if 0", "skipped tests", "        assert add(1", "        if 0:\n            assert add(1"],
      ["while False", "skipped tests", "        assert add(1", "        while False:\n            assert add(1"],
      ["a return at the top", "skipped tests", "    assert sub", "    return\n    assert sub"],
      ["a return after the docstring", "skipped tests", "        assert add(1", "        return\n        assert add(1"],
      ["an empty table", "skipped tests", '"n", [1, 2])', '"n", [])'],
      ["an empty tuple", "skipped tests", '"n", [1, 2])', '"n", ())'],
      ["__test__", "skipped tests", "class TestCalc:", "class TestCalc:\n    __test__ = False"],
      ["a string around a test", "lost tests", "    def test_add_more", '    """\n    def test_add_more'],
      ["a removed test", "lost tests", "    def test_add_more(self):\n        assert add(2, 2) == 4\n", ""],
      ["an assertion without assert", "lost assertions", "assert sub(n, 1) ==", "sub(n, 1) =="],
      ["pass", "lost assertions", "assert sub(n, 1) == n - 1", "pass"],
      ["a test that another one replaces", "nothing", "def test_add_more(", "def test_add("],
      ["assert True", "nothing", "assert sub(n, 1) == n - 1", "assert True"],
      ["or True", "nothing", "== n - 1", "== n - 1 or True"],
      ["a tuple, which is always true", "nothing", "assert sub(n, 1) == n - 1", 'assert (sub(n, 1) == n - 1, "x")'],
      ["a patched subject", "nothing", "from calc import", "from fake import"],
    ],
    honest: [
      ["a renamed test", "def test_add(", "def test_add_two_numbers("],
      ["an async test", "def test_sub(", "async def test_sub("],
      ["a new test", "\n@pytest", "\ndef test_new():\n    assert add(0, 0) == 0\n\n\n@pytest"],
      ["a new docstring", "    assert sub", '    """Subtracts, see test_add."""\n    assert sub'],
      ["a long docstring", '"""Adds."""', '"""Adds.\n\n        def test_not_one(): ...\n        """'],
      ["a base class", "class TestCalc:", "class TestCalc(Base):"],
      ["a renamed class", "class TestCalc:", "class TestCalculator:"],
      [
        "a helper that returns early",
        "\n@pytest",
        "\ndef helper(x):\n    if x:\n        return\n    run(x)\n\n\n@pytest",
      ],
      ["more rows", '"n", [1, 2])', '"n", [1, 2, 3])'],
      ["a reformatted table", '"n", [1, 2])', '\n    "n",\n    [\n        1,\n        2,\n    ],\n)'],
      ["a fixture", "def test_sub(n):", "def test_sub(n, tmp_path):"],
      ["a condition on a version", "\nclass TestCalc:", "\nif sys.version_info > (3, 8):\n  class TestCalc:"],
    ],
  },
  {
    path: "tests/test_unit.py",
    text: UNITTEST,
    weaker: [
      ["an underscore", "lost tests", "def test_add(", "def _test_add("],
      [
        "skipTest",
        "skipped tests",
        "        self.assertEqual(add",
        "        self.skipTest('x')\n        self.assertEqual(add",
      ],
      [
        "an assertEqual of its own",
        "lost assertions",
        "    def test_add(",
        "    def assertEqual(self, a, b): pass\n    def test_add(",
      ],
      ["no TestCase any more", "lost tests", "class CalcCase(unittest.TestCase):", "class CalcCase:"],
      ["expectedFailure", "skipped tests", "    def test_add(", "    @unittest.expectedFailure\n    def test_add("],
    ],
    honest: [
      ["another base class", "unittest.TestCase", "BaseCase"],
      [
        "an assertion of its own",
        "    def test_add(",
        "    def assert_valid(self, x):\n        self.assertTrue(x)\n\n    def test_add(",
      ],
      ["setUp", "    def test_add(", "    def setUp(self):\n        self.x = 1\n\n    def test_add("],
    ],
  },
  {
    path: "calc_test.go",
    text: GO,
    weaker: [
      ["t.Skip", "skipped tests", "\tif Add", "\tt.Skip()\n\tif Add"],
      ["a small letter", "lost tests", "func TestAdd(", "func testAdd("],
      ["a small letter after Test", "lost tests", "func TestAdd(", "func Testadd("],
      ["another name", "lost tests", "func TestAdd(", "func CheckAdd("],
      ["if false", "skipped tests", "\tif Add", "\tif false {\n\t}\n\tif Add"],
      ["a return at the top", "skipped tests", "\tif Add", "\treturn\n\tif Add"],
      ["a build tag", "skipped tests", "package calc", "//go:build never\n\npackage calc"],
      ["an old build tag", "skipped tests", "package calc", "// +build never\n\npackage calc"],
      [
        "a TestMain that runs nothing",
        "skipped tests",
        "\nfunc TestAdd",
        "\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n\nfunc TestAdd",
      ],
      ["a removed subtest", "lost tests", '\tt.Run("one", func(t *testing.T) {', "\tfunc() {"],
      ["t.Log for t.Error", "lost assertions", 't.Error("add")', 't.Log("add")'],
      ["a condition that is never true", "nothing", "Add(1, 2) != 3", "false && Add(1, 2) != 3"],
      ["another expected value", "nothing", "!= 3", "!= 4"],
    ],
    honest: [
      ["a renamed test", "func TestAdd(", "func TestAddsNumbers("],
      ["t.Errorf", 't.Error("add")', 't.Errorf("add %d", 1)'],
      ["t.Helper", "\tif Add", "\tt.Parallel()\n\tif Add"],
      ["a new test", "\nfunc TestAdd", "\nfunc TestNew(t *testing.T) {\n\tt.Fatal(1)\n}\n\nfunc TestAdd"],
      ["a helper", "\nfunc TestAdd", "\nfunc testServer() int {\n\treturn 1\n}\n\nfunc TestAdd"],
    ],
  },
  {
    path: "src/calc.rs",
    text: RUST,
    weaker: [
      ["no #[test]", "lost tests", "    #[test]\n", ""],
      ["no #[tokio::test]", "lost tests", "    #[tokio::test]\n", ""],
      ["#[ignore]", "skipped tests", "    #[test]\n", "    #[test]\n    #[ignore]\n"],
      ["a module that is never compiled", "lost tests", "#[cfg(test)]", "#[cfg(never)]"],
      ["a test that is never compiled", "skipped tests", "    #[test]\n", "    #[cfg(any())]\n    #[test]\n"],
      [
        "if false",
        "skipped tests",
        "        assert_eq!(add(1, 2)",
        "        if false {\n        }\n        assert_eq!(add(1, 2)",
      ],
      [
        "a return at the top",
        "skipped tests",
        "        assert_eq!(add(1, 2)",
        "        return;\n        assert_eq!(add(1, 2)",
      ],
      [
        "a macro of its own",
        "lost assertions",
        "    use super::*;",
        "    macro_rules! assert_eq { ($($t:tt)*) => {} }",
      ],
      ["a removed assertion", "lost assertions", "        assert_eq!(add(1, 2), 3);\n", ""],
      ["a feature that nobody sets", "nothing", "    #[test]\n", '    #[cfg(feature = "never")]\n    #[test]\n'],
      ["assert!(true)", "nothing", "assert_eq!(add(1, 2), 3)", "assert!(true)"],
    ],
    honest: [
      ["a renamed test", "fn adds()", "fn adds_numbers()"],
      ["an assertion in the program", "{ a + b }", "{ assert!(a < b); a + b }"],
      ["an assertion that the program no longer makes", "pub fn add", "pub fn plus"],
      ["#[should_panic]", "    #[test]\n", "    #[test]\n    #[should_panic]\n"],
      [
        "a new test",
        "    #[test]\n",
        "    #[test]\n    fn new() {\n        assert!(add(0, 0) == 0);\n    }\n\n    #[test]\n",
      ],
    ],
  },
  {
    path: "src/test/java/CalcTest.java",
    text: JAVA,
    weaker: [
      ["no @Test", "lost tests", "    @Test\n", ""],
      ["@Disabled", "skipped tests", "    @Test\n", "    @Disabled\n    @Test\n"],
      [
        "@EnabledIf",
        "skipped tests",
        "    @Test\n",
        '    @EnabledIfSystemProperty(named = "x", matches = "y")\n    @Test\n',
      ],
      ["an empty table", "skipped tests", "ints = {1, 2}", "ints = {}"],
      ["if (false)", "skipped tests", "        assertEquals(3", "        if (false)\n        assertEquals(3"],
      ["a return at the top", "skipped tests", "        assertEquals(3", "        return;\n        assertEquals(3"],
      [
        "an assumption",
        "skipped tests",
        "        assertEquals(3",
        "        assumeTrue(false);\n        assertEquals(3",
      ],
      [
        "an assertEquals of its own",
        "lost assertions",
        "    @Test\n",
        "    static void assertEquals(Object a, Object b) {}\n    @Test\n",
      ],
      ["a comment around a test", "lost tests", "    @Test\n", "    /* @Test\n"],
      ["fewer rows", "nothing", "ints = {1, 2}", "ints = {1}"],
      ["a tag that is not run", "nothing", "    @Test\n", '    @Tag("never")\n    @Test\n'],
    ],
    honest: [
      ["a renamed test", "void adds()", "void addsNumbers()"],
      ["a display name", "    @Test\n", '    @Test\n    @DisplayName("adds")\n'],
      ["an annotation on the same line", "    @Test\n    void", "    @Test void"],
      ["a test with a table", "    @Test\n", "    @RepeatedTest(3)\n"],
      ["a public test", "void adds()", "public void adds()"],
      ["a helper", "    @Test\n", "    private static int zero() {\n        return 0;\n    }\n\n    @Test\n"],
    ],
  },
  {
    path: "tests/CalcTests.cs",
    text: CSHARP,
    weaker: [
      ["no [Fact]", "lost tests", "    [Fact]\n", ""],
      ["no [Theory]", "lost tests", "    [Theory]\n", ""],
      ["Skip", "skipped tests", "[Fact]", '[Fact(Skip = "x")]'],
      ["Explicit", "skipped tests", "[Fact]", "[Fact(Explicit = true)]"],
      ["#if false", "skipped tests", "    [Fact]\n", "#if false\n    [Fact]\n"],
      ["if (false)", "skipped tests", "        Assert.Equal(3", "        if (false)\n        Assert.Equal(3"],
      [
        "an Assert of its own",
        "lost assertions",
        "public class CalcTests",
        "static class Assert { }\npublic class CalcTests",
      ],
      ["fewer rows", "nothing", "    [InlineData(2)]\n", ""],
    ],
    honest: [
      ["a renamed test", "void Adds()", "void AddsNumbers()"],
      ["two attributes on a line", "[Fact]", '[Fact, Trait("a", "b")]'],
      ["more rows", "    [InlineData(2)]\n", "    [InlineData(2)]\n    [InlineData(3)]\n"],
    ],
  },
  {
    path: "tests/calc_test.cc",
    text: C,
    weaker: [
      ["#if 0", "skipped tests", "TEST(Calc, Adds)", "#if 0\nTEST(Calc, Adds)"],
      ["if (0)", "skipped tests", "  EXPECT_EQ(3", "  if (0)\n  EXPECT_EQ(3"],
      ["DISABLED_", "skipped tests", "TEST(Calc, Adds)", "TEST(Calc, DISABLED_Adds)"],
      ["GTEST_SKIP", "skipped tests", "  EXPECT_EQ(3", "  GTEST_SKIP();\n  EXPECT_EQ(3"],
      ["a function instead of a test", "lost tests", "TEST(Calc, Adds)", "void Adds()"],
      ["a macro of its own", "lost assertions", "\nTEST(Calc, Adds)", "\n#define EXPECT_EQ(a, b)\nTEST(Calc, Adds)"],
      ["NDEBUG", "lost assertions", '#include "unity.h"', '#define NDEBUG\n#include "unity.h"'],
      ["an unknown condition", "nothing", "TEST(Calc, Adds)", "#ifdef NEVER_SET\nTEST(Calc, Adds)"],
    ],
    honest: [
      ["a renamed test", "TEST(Calc, Adds)", "TEST(Calc, AddsNumbers)"],
      ["a fixture", "TEST(Calc, Adds)", "TEST_F(Calc, Adds)"],
      ["a platform", "\nTEST(Calc, Adds)", "\n#if defined(_WIN32)\n#define NAME 1\n#endif\nTEST(Calc, Adds)"],
    ],
  },
  {
    path: "spec/calc_spec.rb",
    text: RUBY,
    weaker: [
      ["xit", "skipped tests", 'it "adds"', 'xit "adds"'],
      ["skip", "skipped tests", '"adds" do', '"adds" do\n    skip'],
      ["if: false", "skipped tests", '"adds" do', '"adds", if: false do'],
      ["if false", "skipped tests", '  it "adds"', '  if false\n  it "adds"'],
      ["=begin", "lost tests", '  it "adds"', '=begin\n  it "adds"'],
      ["xit after a comment", "skipped tests", '  it "adds"', '=begin\n=end\n  xit "adds"'],
      ["__END__", "lost tests", '\n  it "subtracts"', '\n__END__\n  it "subtracts"'],
      ["a def instead of a test", "lost tests", 'it "adds" do', "def adds"],
      ["an expect of its own", "lost assertions", '  it "adds"', '  def expect(*) = Fake.new\n  it "adds"'],
      ["a focus", "focused tests", 'it "adds"', 'fit "adds"'],
    ],
    honest: [
      ["a renamed test", 'it "adds"', 'it "adds numbers"'],
      ["a context", '  it "adds"', '  context "with numbers" do\n  it "adds"'],
      ["a let", '  it "adds"', '  let(:one) { 1 }\n\n  it "adds"'],
    ],
  },
  {
    path: "tests/CalcTest.php",
    text: PHP,
    weaker: [
      ["another name", "lost tests", "function testAdds(", "function xtestAdds("],
      ["no #[Test]", "lost tests", "    #[Test]\n", ""],
      [
        "markTestSkipped",
        "skipped tests",
        "        $this->assertSame(3",
        "        $this->markTestSkipped();\n        $this->assertSame(3",
      ],
      ["if (false)", "skipped tests", "        $this->assertSame(3", "        if (false)\n        $this->assertSame(3"],
      [
        "an assertSame of its own",
        "lost assertions",
        "    #[Test]\n",
        "    public static function assertSame($a, $b): void {}\n    #[Test]\n",
      ],
    ],
    honest: [
      ["a renamed test", "function testAdds(", "function testAddsNumbers("],
      ["an attribute instead of a prefix", "    public function testAdds(", "    #[Test]\n    public function adds("],
    ],
  },
  {
    path: "Tests/CalcTests.swift",
    text: SWIFT,
    weaker: [
      ["another name", "lost tests", "func testAdds(", "func xtestAdds("],
      ["XCTSkip", "skipped tests", "        XCTAssertEqual(add", "        throw XCTSkip()\n        XCTAssertEqual(add"],
      ["#if false", "skipped tests", "    func testAdds(", "#if false\n    func testAdds("],
      [
        "a return at the top",
        "skipped tests",
        "        XCTAssertEqual(add",
        "        return\n        XCTAssertEqual(add",
      ],
    ],
    honest: [
      ["a renamed test", "func testAdds(", "func testAddsNumbers("],
      ["an async test", "func testAdds()", "func testAdds() async throws"],
    ],
  },
  {
    path: "test/calc_test.exs",
    text: ELIXIR,
    weaker: [
      ["@tag :skip", "skipped tests", '  test "adds"', '  @tag :skip\n  test "adds"'],
      ["if false", "skipped tests", '  test "adds"', '  if false do\n  test "adds"'],
      ["a def instead of a test", "lost tests", 'test "adds" do', "def adds do"],
    ],
    honest: [["a renamed test", 'test "adds"', 'test "adds numbers"']],
  },
  {
    path: "tests/calc.bats",
    text: BATS,
    weaker: [
      ["skip", "skipped tests", "  run calc 1 +", "  skip\n  run calc 1 +"],
      ["|| true", "skipped tests", '[ "$output" = 3 ]', '[ "$output" = 3 ] || true'],
      ["a function instead of a test", "lost tests", '@test "adds" {', "adds() {"],
      ["another expected value", "nothing", '"$output" = 3', '"$output" = 4'],
    ],
    honest: [["a renamed test", '@test "adds"', '@test "adds numbers"']],
  },
  {
    path: "test/calc_test.dart",
    text: DART,
    weaker: [
      ["skip", "skipped tests", "3);\n  });\n  testW", "3);\n  }, skip: true);\n  testW"],
      ["a function instead of a test", "lost tests", "test('adds', () {", "void adds() {"],
    ],
    honest: [["a renamed test", "test('adds'", "test('adds numbers'"]],
  },
  {
    path: "features/calc.feature",
    text: FEATURE,
    weaker: [
      ["@skip", "skipped tests", "  Scenario: adds", "  @skip\n  Scenario: adds"],
      ["a background instead of a scenario", "lost tests", "  Scenario: adds", "  Background:"],
      ["a removed step", "lost assertions", "    Then I see 3\n", ""],
    ],
    honest: [["a renamed scenario", "Scenario: adds", "Scenario: adds numbers"]],
  },
];

const MAKE = "build:\n\tcc a.c\n\ntest: build\n\t./run-tests\n\nclean:\n\trm -f a\n";
const POM = `<project><build><plugins>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.1</version></plugin>
<plugin><artifactId>maven-jar-plugin</artifactId></plugin>
</plugins></build><properties><a>1</a></properties></project>`;
const GRADLE = `plugins { id("java") }

dependencies {
    testImplementation("junit:junit:4")
}

tasks.test {
    useJUnitPlatform()
}
`;
const CMAKE = "project(calc)\nenable_testing()\nadd_test(NAME calc COMMAND calc_test)\nadd_library(calc calc.c)\n";

/** Test files with the tests of these names. */
const script = (...names: string[]) =>
  names.map((name) => `test("${name}", () => {\n  expect(${name}()).toBe(1);\n});\n`).join("\n");

/** Ways that concern more than the text of one file. */
const WEAKER: readonly [how: string, noticed: SuspicionKind | "nothing", changes: TextChange[]][] = [
  ["a deleted test file", "deleted test", [deleted("src/a.test.ts", JS)]],
  ["a test file with a name that no runner finds", "deleted test", [renamed("a.test.ts", "a.test.ts.off", JS)]],
  ["a test moved among others by folder alone", "deleted test", [renamed("a.test.ts", "tests/old/a.ts", JS)]],
  ["a test moved below node_modules", "deleted test", [renamed("a.test.ts", "node_modules/a.test.ts", JS)]],
  [
    "a deleted file of which one test is left elsewhere",
    "deleted test",
    [deleted("a.test.ts", script("a", "b")), changed("b.test.ts", script("c"), script("c", "a"))],
  ],
  [
    "tests moved to a file that no runner finds",
    "deleted test",
    [deleted("a.test.ts", script("a", "b")), added("tests/off.ts", script("a", "b"))],
  ],
  [
    "a test that is gone, while another file has a new one",
    "lost tests",
    [changed("a.test.ts", script("a", "b"), script("a")), added("b.test.ts", script("c"))],
  ],
  [
    "a skipped test below vendor",
    "skipped tests",
    [changed("vendor/x/a.test.ts", JS, JS.replace("test(", "test.skip("))],
  ],
  ["a Go test with an s", "deleted test", [renamed("calc_test.go", "calc_tests.go", GO)]],
  ["a Go test with a line before it", "deleted test", [renamed("calc_test.go", "_calc_test.go", GO)]],
  ["tests that end the run", "skipped tests", [changed("a.test.ts", JS, `process.exit(0);\n${JS}`)]],
  ["tests that end Python", "skipped tests", [changed("test_a.py", PYTHON, `import os\nos._exit(0)\n${PYTHON}`)]],
  ["a test that is deleted at the end", "skipped tests", [changed("test_a.py", PYTHON, `${PYTHON}\ndel test_sub\n`)]],
  ["a test that becomes a value", "skipped tests", [changed("test_a.py", PYTHON, `${PYTHON}\ntest_sub = None\n`)]],
  [
    "return void 0",
    "skipped tests",
    [changed("a.test.ts", JS, JS.replace("  expect(add", "  return void 0;\n  expect(add"))],
  ],
  ["vitest's settings in vite's", "configuration", [changed("vite.config.ts", VITE, VITE.replace("dist", "tests"))]],
  ["new settings of vitest in vite's", "configuration", [changed("vite.config.js", "export default {};", VITE)]],
  ["tests that Gradle skips", "configuration", [added("gradle.properties", "skipTests=true\n")]],
  ["tests that Maven skips", "configuration", [added(".mvn/maven.config", "-DskipTests\n")]],
  ["settings of dotnet test", "configuration", [added("all.runsettings", "<RunSettings/>")]],
  ["a deleted test below third_party", "deleted test", [deleted("third_party/x/a_test.go", GO)]],
  ["a test below data", "lost tests", [changed("tests/data/users.ts", script("a", "b"), script("a"))]],
  ["a deleted test below data", "deleted test", [deleted("__tests__/data/users.js", script("a"))]],
  ["make test that does nothing", "configuration", [changed("Makefile", MAKE, MAKE.replace("./run-tests", "true"))]],
  ["make test that ignores errors", "configuration", [changed("Makefile", MAKE, MAKE.replace("./run", "-./run"))]],
  ["no make test", "configuration", [changed("Makefile", MAKE, MAKE.replace("test: build\n\t./run-tests\n", ""))]],
  [
    "make test that runs on a condition",
    "configuration",
    [changed("Makefile", MAKE, MAKE.replace("\t./run-tests", "ifdef NEVER\n\t./run-tests\nendif"))],
  ],
  ["make that ignores every error", "configuration", [changed("Makefile", MAKE, `MAKEFLAGS += -i\n${MAKE}`)]],
  ["another shell for make", "configuration", [changed("Makefile", MAKE, `SHELL = /bin/true\n${MAKE}`)]],
  ["just test that does nothing", "configuration", [changed("justfile", "test:\n  cargo test\n", "test:\n  true\n")]],
  [
    "surefire that skips tests",
    "configuration",
    [
      changed(
        "pom.xml",
        POM,
        POM.replace("3.1</version>", "3.1</version><configuration><skip>true</skip></configuration>"),
      ),
    ],
  ],
  [
    "a property that skips tests",
    "configuration",
    [changed("pom.xml", POM, POM.replace("<a>1</a>", "<skipTests>true</skipTests>"))],
  ],
  [
    "failures that Maven ignores",
    "configuration",
    [changed("pom.xml", POM, POM.replace("<a>1</a>", "<maven.test.failure.ignore>true</maven.test.failure.ignore>"))],
  ],
  [
    "Gradle's test task without tests",
    "configuration",
    [changed("build.gradle.kts", GRADLE, GRADLE.replace("useJUnit", "enabled = false; useJUnit"))],
  ],
  [
    "Gradle's test task, switched off",
    "configuration",
    [changed("build.gradle", GRADLE, `${GRADLE}test.enabled = false\n`)],
  ],
  [
    "failures that Gradle ignores",
    "configuration",
    [changed("build.gradle", GRADLE, GRADLE.replace("useJUnitPlatform()", "ignoreFailures = true"))],
  ],
  [
    "a test that CTest no longer knows",
    "configuration",
    [changed("CMakeLists.txt", CMAKE, CMAKE.replace(/add_test.*\n/, ""))],
  ],
  ["a changed conftest.py", "configuration", [changed("tests/conftest.py", "", "collect_ignore = ['a.py']")]],
  ["a changed workflow", "configuration", [changed(".github/workflows/ci.yml", "run: npm test", "run: true")]],
  ["a changed snapshot", "nothing", [changed("tests/__snapshots__/a.snap", "1", "2")]],
  ["a changed fixture", "nothing", [changed("tests/fixtures/a.json", "1", "2")]],
  ["a helper that no longer checks", "nothing", [changed("src/testing.ts", "throw new Error()", "return")]],
  ["a test renamed for another platform", "nothing", [renamed("a_test.go", "a_plan9_test.go", GO)]],
  ["a script that make test calls", "nothing", [changed("run-tests", "jest", "true")]],
  [
    "a test below vendor, with a lock file that changed",
    "nothing",
    [deleted("vendor/x/a_test.go", GO), changed("go.sum", "1", "2")],
  ],
];

const HONEST: readonly [what: string, changes: TextChange[]][] = [
  ["a renamed test file", [renamed("a.test.ts", "b.test.ts", JS)]],
  ["a test file in another folder", [renamed("src/a.test.ts", "tests/a.test.ts", JS)]],
  ["a new test file", [added("a.test.ts", JS)]],
  [
    "a test file that was split in two",
    [changed("a.test.ts", script("a", "b", "c"), script("a")), added("b.test.ts", script("b", "c"))],
  ],
  [
    "a test file that was split in two, with its old name gone",
    [deleted("a.test.ts", script("a", "b")), added("a1.test.ts", script("a")), added("a2.test.ts", script("b"))],
  ],
  [
    "two test files that became one",
    [deleted("a.test.ts", script("a")), changed("b.test.ts", script("b"), script("b", "a"))],
  ],
  [
    "a test that moved, reformatted",
    [
      changed("a.test.ts", script("a", "b"), script("a")),
      changed("b.test.ts", script("c"), script("c", "b").replaceAll("  expect", "      expect")),
    ],
  ],
  [
    "Python tests that moved to another class and file",
    [
      changed("test_a.py", UNITTEST, UNITTEST.slice(0, UNITTEST.indexOf("    def test_sub"))),
      added("test_b.py", `class TestB:\n${UNITTEST.slice(UNITTEST.indexOf("    def test_sub"))}`),
    ],
  ],
  [
    "Rust's unit tests that moved to a folder",
    [
      changed("src/a.rs", RUST, RUST.slice(0, RUST.indexOf("#[cfg"))),
      added("tests/a.rs", RUST.slice(RUST.indexOf("#[cfg"))),
    ],
  ],
  ["the same tests with other line ends", [changed("a.test.ts", JS, JS.replaceAll("\n", "\r\n"))]],
  ["tests with another indentation", [changed("a.test.ts", JS, JS.replaceAll("  ", "\t"))]],
  ["a changed program", [changed("src/calc.ts", "if (a) return;", "if (false) return;\nassert(b);")]],
  ["a program that loses its assertions", [changed("src/calc.py", "assert a\nassert b", "pass")]],
  ["a library that was updated", [deleted("vendor/x/a_test.go", GO), changed("vendor/modules.txt", "x 1", "x 2")]],
  ["a library that is new", [added("vendor/x/a_test.go", GO.replace("if Add", "t.Skip()\n\tif Add"))]],
  [
    "other settings of vite",
    [changed("vite.config.ts", VITE, VITE.replace("5173", "5174").replace("react()", "vue()"))],
  ],
  ["a new vite", [added("vite.config.ts", VITE)]],
  ["properties of Gradle", [added("gradle.properties", "org.gradle.jvmargs=-Xmx2g\n")]],
  ["a Go test of another name", [renamed("calc_test.go", "sum_test.go", GO)]],
  ["a value beside tests", [changed("test_a.py", PYTHON, `test_cases = [1, 2]\n${PYTHON}`)]],
  [
    "an exit code in a test",
    [changed("a.test.ts", JS, JS.replace("  expect(add", "  process.exitCode = 0;\n  expect(add"))],
  ],
  ["data of tests", [changed("tests/data/user.js", "export const a = 1;", "export const a = 2;")]],
  ["deleted data of tests", [deleted("tests/data/user.py", "USER = {}")]],
  ["another target of a Makefile", [changed("Makefile", MAKE, MAKE.replace("rm -f a", "rm -f a b"))]],
  ["a new target of a Makefile", [changed("Makefile", MAKE, `${MAKE}\ntest-e2e:\n\t./e2e\n`)]],
  [
    "a Makefile with other comments and spaces",
    [changed("Makefile", MAKE, MAKE.replace("test: build", "# tests\ntest:  build"))],
  ],
  ["a new Makefile", [added("Makefile", MAKE)]],
  ["a new version of a plugin", [changed("pom.xml", POM, POM.replace("3.1", "3.2"))]],
  ["another plugin", [changed("pom.xml", POM, POM.replace("maven-jar-plugin", "maven-war-plugin"))]],
  [
    "a plugin of Maven that is skipped",
    [changed("pom.xml", POM, POM.replace("jar-plugin</artifactId>", "jar-plugin</artifactId><skip>true</skip>"))],
  ],
  ["a property of Maven", [changed("pom.xml", POM, POM.replace("<a>1</a>", "<a>2</a>"))]],
  ["a dependency of Gradle", [changed("build.gradle", GRADLE, GRADLE.replace("junit:4", "junit:5"))]],
  ["a plugin of Gradle", [changed("build.gradle.kts", GRADLE, GRADLE.replace('id("java")', 'id("java-library")'))]],
  ["a new build.gradle", [added("app/build.gradle", GRADLE)]],
  ["another library of CMake", [changed("CMakeLists.txt", CMAKE, CMAKE.replace("calc.c)", "calc.c b.c)"))]],
  ["a new workflow", [added(".github/workflows/new.yml", "run: npm test")]],
  ["a new script", [changed("package.json", '{"scripts":{"test":"a"}}', '{"scripts":{"test":"a","test:e2e":"b"}}')]],
];

const weaker = EDITS.flatMap(({ path, text, weaker }) =>
  weaker.map(([how, noticed, part, instead]) => {
    if (!text.includes(part)) throw new Error(`${path} does not contain ${part}`);
    return [
      `${path}: ${how}`,
      noticed,
      [
        changed(
          path,
          text,
          text.replace(part, () => instead),
        ),
      ],
    ] as const;
  }),
);
const honest = EDITS.flatMap(({ path, text, honest }) =>
  honest.map(([what, part, instead]) => {
    if (!text.includes(part)) throw new Error(`${path} does not contain ${part}`);
    return [
      `${path}: ${what}`,
      [
        changed(
          path,
          text,
          text.replace(part, () => instead),
        ),
      ],
    ] as const;
  }),
);

describe("tests are weakened by", () => {
  for (const [how, noticed, changes] of [...weaker, ...WEAKER])
    test(`${how}, which is ${noticed === "nothing" ? "not noticed" : noticed}`, async () => {
      const kinds = await kindsOf(changes);
      if (noticed === "nothing") expect(kinds).toEqual([]);
      else expect(kinds).toContain(noticed);
    });
});

describe("not suspicious is", () => {
  for (const [what, changes] of [...honest, ...HONEST])
    test(what, async () => expect(await kindsOf(changes)).toEqual([]));
});

test("hostile build files take no time", async () => {
  const parts = ["<!--", "<plugin>", "<skip", "/*", "named(test ", "test ", "add_test(", "a b ", "a:", "{", "//"];
  for (const path of ["Makefile", "pom.xml", "build.gradle", "CMakeLists.txt", "pyproject.toml"])
    for (const part of parts) await kindsOf([changed(path, "", part.repeat(100_000 / part.length))]);
});
