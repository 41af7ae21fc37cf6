import { expect, test } from "bun:test";
import { isNamedTest, isTestFile } from "../../../../src/supervisor/changes/test-languages.ts";

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
  ..."tests/fixtures/app.js pkg/testdata/x.go node_modules/x/a.test.js vendor/y/a_test.go src/attest.py".split(" "),
  ..."notes.test.md node_modules/x/TestA.java src/Latest.java src/Contest.cs src/lib.rs tests/__snapshots__/a.snap conftest.txt a.test.ts.bak".split(
    " ",
  ),
];

for (const path of named) test(`${path} is a test by its name`, () => expect(isNamedTest(path)).toBe(true));
for (const path of inFolders)
  test(`${path} is one by its folder`, () => expect([isNamedTest(path), isTestFile(path)]).toEqual([false, true]));
for (const path of others)
  test(`${path} is not a test`, () => expect([isNamedTest(path), isTestFile(path)]).toEqual([false, false]));
