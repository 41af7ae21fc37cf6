import { describe, expect, test } from "bun:test";
import { isNamedTest } from "../../../../src/supervisor/changes/test-languages.ts";
import { testSuspicions } from "../../../../src/supervisor/changes/test-suspicions.ts";

/** What is suspicious about a changed file, by kind. */
function found(path: string, before: string, after: string) {
  const change = { path, kind: "modified", from: undefined, added: undefined, deleted: undefined } as const;
  return testSuspicions([{ ...change, before, after }]).map(({ kind, text }) => `${kind}: ${text.slice(path.length)}`);
}

const skipped: [path: string, lines: string[]][] = [
  [
    "a.test.ts",
    [
      'it.skip("a", () => {});',
      'test.skip("a");',
      'describe.skip("a");',
      'describe.concurrent.skip("a");',
      'test.skip.each([1])("a");',
      'test.todo("a");',
      'it["skip"]("a");',
      "(isSlow ? it.skip : it)('a');",
      `it('a "quoted" title', { skip: 'later' });`,
      'xit("a");',
      'xdescribe("a");',
      'xtest.each([1])("a");',
      'test.skipIf(isSlow)("a");',
      'test.describe.fixme("a");',
      'test("a", { skip: true }, () => {});',
      'test("a", { skip: "later" }, () => {});',
      "  this.skip();",
      "  t.skip();",
      'test.failing("a");',
    ],
  ],
  [
    "test_a.py",
    [
      "@pytest.mark.skip",
      '@pytest.mark.skipif(True, reason="x")',
      "@pytest.mark.xfail(strict=False)",
      "@unittest.skip('x')",
      "@unittest.expectedFailure",
      '    pytest.skip("x")',
      "    self.skipTest('x')",
      "    raise unittest.SkipTest('x')",
      "pytestmark = pytest.mark.skip",
      "    __test__ = False",
    ],
  ],
  [
    "a_test.go",
    ["\tt.Skip()", '\tt.Skipf("x %d", 1)', "\tt.SkipNow()", "//go:build never", '\tPIt("x", func() {', "XDescribe("],
  ],
  ["tests/a.rs", ["#[ignore]", '#[ignore = "slow"]', "#[cfg_attr(windows, ignore)]", "#[cfg(any())]"]],
  [
    "ATest.java",
    [
      "@Disabled",
      '@Disabled("x")',
      "@Ignore",
      "@DisabledOnOs(LINUX)",
      "    assumeTrue(false);",
      "@Test(enabled = false)",
    ],
  ],
  ["ATests.cs", ['[Fact(Skip = "x")]', "[Ignore]", 'Assert.Ignore("x");']],
  ["ATests.swift", ['throw XCTSkip("x")', '@Test(.disabled("x"))']],
  ["ATest.php", ["$this->markTestSkipped('x');", "})->skip();"]],
  ["a_spec.rb", ['xit "a" do', '  skip "x"', "  pending", 'it "a", skip: true do', 'it "a", :skip do']],
  ["a_test.exs", ["@tag :skip", "@moduletag skip: true"]],
  ["a_test.cc", ["TEST(A, DISABLED_B) {", "  GTEST_SKIP();"]],
  ["a_test.dart", ["  }, skip: true);", "@Skip('x')"]],
  ["a.bats", ["  skip", '  skip "x"']],
  ["a.feature", ["  @skip"]],
];

const focused: [path: string, lines: string[]][] = [
  [
    "a.test.ts",
    [
      'it.only("a");',
      'test.describe.only("a");',
      'fit("a");',
      'fdescribe("a");',
      "test.only.each([1])",
      "  only: true,",
    ],
  ],
  ["a_test.go", ['\tFIt("x", func() {']],
  ["a_spec.rb", ['fit "a" do', 'it "a", :focus do']],
  ["ATest.php", ["})->only();"]],
];

const neither: [path: string, lines: string[]][] = [
  [
    "a.test.ts",
    [
      '// it.skip("a")',
      ' * it.only("a")',
      "model.fit(x);",
      "exit(1);",
      "list.skip(3);",
      "const page = { skip: 10, take: 5 };",
      'const item = { todo: "milk" };',
      "submit.only(x);",
      "await visit('/todo');",
      `write("it.skip('a')", 'it.only("a")');`,
      "const text = `it.skip(a)`;",
      "if (test.length) run();",
    ],
  ],
  ["test_a.py", ["# @pytest.mark.skip", "x = skip_lines(3)", "def test_skip_button():", "fit = model.fit(x)"]],
  ["a_test.go", ["// t.Skip()", "func TestSkip(t *testing.T) {", "fmt.Println(skip)"]],
  ["src/lib.rs", ["#[ignore]"]],
  ["src/a.py", ["@pytest.mark.skipper"]],
  ["a_spec.rb", ['it "skips" do', "list.skip", "user.pending = 1"]],
];

describe("a test is skipped by", () => {
  for (const [path, lines] of skipped)
    for (const line of lines)
      test(`${path}: ${line.trim()}`, () =>
        expect(found(path, "", `x\n${line}\n`)).toContainEqual(
          expect.stringMatching(/^skipped tests: : 1 test newly skipped \(line 2: /),
        ));
});

describe("a test is focused by", () => {
  for (const [path, lines] of focused)
    for (const line of lines)
      test(`${path}: ${line.trim()}`, () =>
        expect(found(path, "", `${line}\n`)).toContainEqual(
          expect.stringMatching(/^focused tests: : 1 test newly focused \(line 1: /),
        ));
});

describe("a test is neither skipped nor focused by", () => {
  for (const [path, lines] of neither)
    for (const line of lines) test(`${path}: ${line.trim()}`, () => expect(found(path, "", line)).toEqual([]));
});

const lost = (count: number) =>
  count === 0 ? [] : [expect.stringMatching(new RegExp(`: .*no assertions, ${count} before$`))];

describe("assertions are counted", () => {
  const cases: [path: string, text: string, count: number][] = [
    [
      "a.test.ts",
      "expect(a).toBe(1); expect(b).toBe(2);\nexpect(\n  c,\n).toBe(3);\nassert.equal(a, 1);\nassert(a);",
      5,
    ],
    ["a.test.ts", 'import { expect } from "bun:test";\n// expect(a)\n/*\nexpect(b)\n*/\nexpectTypeOf<A>();', 1],
    [
      "a.test.ts",
      'const glob = "src/**/*.ts";\nexpect(glob).toBe("*/");\nt.is(a, 1);\ncy.get("x").should("exist");',
      3,
    ],
    ["a.test.ts", "/* expect(a) */ expect(b);\n/*\nexpect(c)\n*/ expect(d); expect(e);", 3],
    ["test_a.py", "assert a\nself.assertEqual(a, 1)\nwith pytest.raises(E):\nm.assert_called_once()\n# assert b\n", 4],
    ["a_test.go", 't.Errorf("x")\nt.Fatal("x")\nrequire.NoError(t, err)\n// t.Error("x")\nt.Run("x", f)', 3],
    ["src/lib.rs", "fn f() { assert!(a); }\n#[cfg(test)]\nmod tests {\nassert_eq!(a, 1);\nassert!(b);\n}", 2],
    ["src/lib.rs", "fn f() { assert!(a); }", 0],
    ["src/lib.rs", "#[cfg(test)] mod tests { #[test] fn a() { assert!(a); } }", 1],
    ["src/lib.rs", "fn f() { assert!(a); }\n#[test]\nfn a() {\n    assert!(a);\n}\n", 1],
    ["tests/a.rs", "assert!(a);", 1],
    ["a.test.ts", `write("expect(1)"); expect("it's").toBe('expect(1)');`, 1],
    ["ATest.java", "assertEquals(1, a);\nassertThat(a).isTrue();\nverify(m).run();\n// assertTrue(a);", 3],
    ["ATests.cs", "Assert.Equal(1, a);\na.Should().Be(1);", 2],
    ["ATests.swift", "XCTAssertEqual(a, 1)\n#expect(a == 1)", 2],
    ["ATest.php", "$this->assertSame(1, $a);\nself::assertTrue($a);\nexpect($a)->toBe(1);", 3],
    ["a_spec.rb", "expect(a).to eq 1\nassert_equal 1, a\n# expect(b)", 2],
    ["a_test.exs", "assert a == 1\nrefute b", 2],
    ["a_test.cc", "EXPECT_EQ(a, 1);\nASSERT_TRUE(b);\nassert(c);", 3],
    ["a.bats", '[ "$status" -eq 0 ]\nassert_output x', 2],
  ];
  for (const [path, text, count] of cases)
    test(`${path}: ${JSON.stringify(text)}`, () => expect(found(path, text, "")).toEqual(lost(count)));
});

test("a test that is gone has its name, or else its line", () => {
  const rust = "#[test]\nfn subtracts() {}\n";
  expect(found("a.rs", `#[test]\nfn adds() {}\n${rust}`, rust)).toEqual([expect.stringContaining("(gone: adds)")]);
  const sharp = "[Fact]\npublic void Subtracts() {}\n";
  expect(found("ATests.cs", `[Fact]\npublic void\n  Adds() {}\n${sharp}`, sharp)).toEqual([
    expect.stringContaining("(gone: public void)"),
  ]);
});

describe("a mark belongs to its test", () => {
  const py = (first: string, second: string) =>
    `${first}\ndef test_a():\n  pass\n\n${second}\n@fixture\ndef test_b():\n  pass\n`;
  const mark = "@pytest.mark.skip";
  const go = (first: string, second: string) => `func TestA(t *T) {\n${first}\n}\nfunc TestB(t *T) {\n${second}\n}`;
  const long = (name: string) => `func ${name}(t *T) {\n${"x()\n".repeat(99)}t.Skip()\n}`;
  test.each([
    ["test_a.py", py(mark, ""), py("", mark)],
    ["a_test.go", go("t.Skip()", ""), go("", "t.Skip()")],
    ["a_test.go", long("TestA"), long("TestB")],
  ])("%s: on another test it is new", (path, before, after) =>
    expect(found(path, before, after)).toEqual([expect.stringContaining("1 test newly skipped")]),
  );
  test("on another line it is the same", () =>
    expect(found("test_a.py", py(mark, ""), `\n\n# more\n${py(mark, "")}`)).toEqual([]));
});

test("long lines and many marks take no time", () => {
  const text = `${'it.skip("a", () => { expect(1).toBe(1) });'.repeat(10)}\n`.repeat(2_000) + "t.skip()\n".repeat(900);
  expect(found("a.test.ts", text, "")).toEqual(lost(20_000));
  expect(found("a.test.ts", "expect".repeat(160_000), "")).toEqual([]);
  expect(found("a.test.ts", "", `it${".a".repeat(400_000)}`)).toEqual([]);
});

describe("hostile text takes no time:", () => {
  const SPACES = " ".repeat(100_000);
  const lines = [
    `${SPACES}x`,
    `${SPACES}x {\n${SPACES}return;\n y`,
    `if${SPACES}x`,
    `return${SPACES}x`,
    "x {\nreturn;\ny\n".repeat(10_000),
    ...[
      "/*",
      '"""',
      "@Test(",
      "[Fact",
      "it.each(",
      "const expect ",
      "parametrize(x,",
      "#[cfg_attr(",
      "@tag ",
      "def f(): ",
    ].map((part) => part.repeat(100_000 / part.length)),
    ..."@Test\n|#[test]\n|[Fact]\n|class A:\n|    def test_a():\n".split("|").map((line) => line.repeat(10_000)),
  ];
  for (const path of [
    "a.test.ts",
    "test_a.py",
    "src/a.rs",
    "ATest.java",
    "ATests.cs",
    "a_test.exs",
    "a_test.sh",
    "a_spec.rb",
  ])
    test(path, () => {
      for (const line of lines) found(path, "", line);
    });
});

const named = [
  ..."src/a.test.ts a.spec.jsx a.test.mjs deep/er/x.cy.ts b.e2e-spec.ts".split(" "),
  ..."test_a.py pkg/a_test.py pkg/a_test.go a_spec.rb a_test.rb a_test.exs a_test.dart a_test.cc".split(" "),
  ..."src/test/java/ATest.java ATests.java TestA.java AIT.java ASpec.scala BTests.cs CTests.swift DTest.php".split(" "),
  ..."run.bats login.feature t/basic.t spec/models/user_spec.rb".split(" "),
];
const inFolders =
  "tests/harness.ts src/__tests__/a.ts test/a.js Tests/AppTests/A.swift spec/helper.rb tests/a.rs tests/run.sh".split(
    " ",
  );
const others = [
  ..."src/a.ts src/testing.ts contest.ts latest.js README.md tests/README.md tests/data.json".split(" "),
  ..."tests/fixtures/app.js pkg/testdata/x.go node_modules/x/a.test.js src/attest.py".split(" "),
  ..."notes.test.md node_modules/x/TestA.java src/Latest.java src/Contest.cs src/lib.rs tests/__snapshots__/a.snap conftest.txt a.test.ts.bak".split(
    " ",
  ),
];

describe("a deleted file with tests in it", () => {
  const isTest = (path: string) => {
    const change = { path, kind: "deleted", from: undefined, added: undefined, deleted: undefined } as const;
    return testSuspicions([{ ...change, before: 'it("adds", () => {});\n', after: "" }]).length > 0;
  };
  test.each([
    ["a folder of data among tests", "tests/data/adds.ts", true],
    ["a folder of data of the program", "src/data/adds.ts", false],
    ["files that tests work on", "tests/fixtures/adds.ts", false],
    ["an installed package", "node_modules/x/tests/data/adds.ts", false],
  ])("in %s: %s", (_, path, expected) => expect(isTest(path)).toBe(expected));
});

describe("a deleted file was", () => {
  const isTest = (path: string) => {
    const change = { path, kind: "deleted", from: undefined, added: undefined, deleted: undefined } as const;
    return testSuspicions([{ ...change, before: "", after: "" }]).length > 0;
  };
  for (const path of named)
    test(`a test by its name: ${path}`, () => expect([isNamedTest(path), isTest(path)]).toEqual([true, true]));
  for (const path of inFolders)
    test(`a test by its folder: ${path}`, () => expect([isNamedTest(path), isTest(path)]).toEqual([false, true]));
  for (const path of others)
    test(`not a test: ${path}`, () => expect([isNamedTest(path), isTest(path)]).toEqual([false, false]));
});
