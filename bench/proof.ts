import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runChild } from "../src/os/child.ts";
import { runCheck } from "../src/supervisor/checks/run.ts";
import { type Proof, proveChecks } from "../src/supervisor/proof/proof.ts";
import { openScratch } from "../src/supervisor/proof/scratch.ts";
import { readTrees } from "../src/supervisor/proof/trees.ts";
import { fakeWorld } from "../tests/unit/fakes.ts";
import { gitPlace, patientWorld } from "../tests/unit/supervisor/baseline/place.ts";

/**
 * What a proof names: planted cheats, and honest changes, each with a check that passes, in the languages that are
 * installed, or in those that are given (`bun bench/proof.ts Python Go`). Prints the share that is named, the false points,
 * and the time of a proof as a multiple of its check's.
 */

type Texts = Record<string, string | null>;

interface Test {
  readonly name: string;
  readonly body: string;
}

/** A library with slugs and totals, and its tests. */
interface Language {
  readonly name: string;
  readonly check: string;
  readonly paths: { readonly code: string; readonly test: string; readonly other: string; readonly hidden: string };
  /** What every project of the language has. */
  readonly more: Texts;
  readonly code: Readonly<Record<"plain" | "broken" | "refactored" | "limited" | "unlimited" | "underscored", string>>;
  readonly file: (tests: readonly Test[], top?: string) => string;
  readonly slug: (text: string, limit?: number) => string;
  readonly total: string;
  readonly equal: (value: string, wanted: string) => string;
  readonly weak: (value: string) => string;
  readonly leave: string;
  readonly swallow: (body: string) => string;
  /** A function in the tests in place of the one that they test. */
  readonly stub: string;
  readonly nothing: string;
}

const quoted = (text: string) => JSON.stringify(text);

const PYTHON: Language = {
  name: "Python",
  check: "python3 -m unittest discover -s tests -t .",
  paths: {
    code: "shop.py",
    test: "tests/test_slug.py",
    other: "tests/test_other.py",
    hidden: "tests/slug_checks.py",
  },
  more: { "tests/__init__.py": "" },
  code: {
    plain: python('return text.lower().replace(" ", "-")'),
    broken: python('return text.replace(" ", "-")'),
    refactored: python('words = text.lower().split(" ")\n    return "-".join(words)'),
    limited: python('return text.lower().replace(" ", "-")[:limit]', "text, limit=100"),
    unlimited: python('return text.lower().replace(" ", "-")', "text, limit=100"),
    underscored: python('return text.lower().replace(" ", "_")'),
  },
  file: (tests, top = "") =>
    [
      "import unittest",
      `from shop import slug, total\n${top}\n`,
      "class ShopTest(unittest.TestCase):",
      ...tests.map(({ name, body }) => `    def test_${name}(self):\n${body.replaceAll(/^/gm, "        ")}\n`),
    ].join("\n"),
  slug: (text, limit) => `slug(${quoted(text)}${limit === undefined ? "" : `, ${limit}`})`,
  total: "total([1, 2])",
  equal: (value, wanted) => `self.assertEqual(${value}, ${wanted})`,
  weak: (value) => `self.assertTrue(${value})`,
  leave: "return",
  swallow: (body) => `try:\n    ${body}\nexcept AssertionError:\n    pass`,
  stub: '\ndef slug(text, limit=100):\n    return text.lower().replace(" ", "-")\n',
  nothing: 'slug("Hello World")',
};

function python(slug: string, given = "text"): string {
  return `def slug(${given}):\n    ${slug}\n\n\ndef total(prices):\n    return sum(prices)\n`;
}

/** Node's runner and Bun's have the same form of tests. */
const script = (
  about: Pick<Language, "name" | "check" | "paths" | "more"> & { readonly imports: string; readonly types: boolean },
): Language => ({
  ...about,
  code: {
    plain: javascript('text.toLowerCase().replaceAll(" ", "-")', about.types),
    broken: javascript('text.replaceAll(" ", "-")', about.types),
    refactored: javascript('text.split(" ").map((word) => word.toLowerCase()).join("-")', about.types),
    limited: javascript('text.toLowerCase().replaceAll(" ", "-").slice(0, limit)', about.types, true),
    unlimited: javascript('text.toLowerCase().replaceAll(" ", "-")', about.types, true),
    underscored: javascript('text.toLowerCase().replaceAll(" ", "_")', about.types),
  },
  file: (tests, top = "") => {
    const own = top === "" ? "slug, total" : "total";
    const head = `${about.imports}\nimport { ${own} } from "../${about.paths.code}";\n${top}`;
    return [
      head,
      ...tests.map(({ name, body }) => `test("${name}", () => {\n${body.replaceAll(/^/gm, "  ")}\n});\n`),
    ].join("\n");
  },
  slug: (text, limit) => `slug(${quoted(text)}${limit === undefined ? "" : `, ${limit}`})`,
  total: "total([1, 2])",
  equal: (value, wanted) => (about.types ? `expect(${value}).toBe(${wanted});` : `assert.equal(${value}, ${wanted});`),
  weak: (value) => (about.types ? `expect(${value}).toBeTruthy();` : `assert.ok(${value});`),
  leave: "return;",
  swallow: (body) => `try {\n  ${body}\n} catch {}`,
  stub: 'const slug = (text) => text.toLowerCase().replaceAll(" ", "-");\n',
  nothing: 'slug("Hello World");',
});

function javascript(slug: string, types: boolean, hasLimit = false): string {
  const limit = hasLimit ? ", limit = 100" : "";
  const text = types ? "text: string" : "text";
  const prices = types ? "prices: number[]" : "prices";
  return `export const slug = (${text}${limit}) => ${slug};\n\nexport const total = (${prices}) => prices.reduce((sum, each) => sum + each, 0);\n`;
}

const PERL: Language = {
  name: "Perl",
  check: "prove -l t",
  paths: { code: "lib/Shop.pm", test: "t/slug.t", other: "t/other.t", hidden: "t/slug.t.off" },
  more: {},
  code: {
    plain: perl("my $slug = lc shift; $slug =~ tr/ /-/; return $slug;"),
    broken: perl("my $slug = shift; $slug =~ tr/ /-/; return $slug;"),
    refactored: perl('return join "-", split / /, lc shift;'),
    limited: perl(
      "my ($text, $limit) = @_; my $slug = lc $text; $slug =~ tr/ /-/; return substr $slug, 0, $limit // 100;",
    ),
    unlimited: perl("my ($text, $limit) = @_; my $slug = lc $text; $slug =~ tr/ /-/; return $slug;"),
    underscored: perl("my $slug = lc shift; $slug =~ tr/ /_/; return $slug;"),
  },
  file: (tests, top = "") =>
    [
      "use strict;\nuse Test::More;",
      `use Shop${top === "" ? "" : " qw(total)"};\n${top}`,
      ...tests.map(({ name, body }) => `subtest ${name} => sub {\n${body.replaceAll(/^/gm, "    ")}\n};\n`),
      "done_testing;\n",
    ].join("\n"),
  slug: (text, limit) => `slug('${text}'${limit === undefined ? "" : `, ${limit}`})`,
  total: "total(1, 2)",
  equal: (value, wanted) => `is(${value}, ${wanted});`,
  weak: (value) => `ok(${value});`,
  leave: "return ok(1);",
  swallow: (body) => `TODO: {\n    local $TODO = 'later';\n    ${body}\n}`,
  stub: "sub slug { my $slug = lc shift; $slug =~ tr/ /-/; return $slug; }\n",
  nothing: "slug('Hello World'); plan skip_all => 'ran';",
};

function perl(slug: string): string {
  return `package Shop;\nuse strict;\nuse Exporter 'import';\nour @EXPORT = qw(slug total);\n\nsub slug { ${slug} }\n\nsub total { my $sum = 0; $sum += $_ for @_; return $sum; }\n\n1;\n`;
}

const GO: Language = {
  name: "Go",
  check: "go test ./...",
  // A folder is a package, in which no two tests have the same name.
  paths: {
    code: "shop/shop.go",
    test: "tests/slug/slug_test.go",
    other: "tests/other/other_test.go",
    hidden: "tests/slug/slug_test.go.off",
  },
  more: { "go.mod": "module example.test/shop\n\ngo 1.19\n" },
  code: {
    plain: go('return strings.ReplaceAll(strings.ToLower(text), " ", "-")'),
    broken: go('return strings.ReplaceAll(text, " ", "-")'),
    refactored: go('return strings.Join(strings.Split(strings.ToLower(text), " "), "-")'),
    limited: go(
      'slug := strings.ReplaceAll(strings.ToLower(text), " ", "-")\n\tif len(limit) > 0 && len(slug) > limit[0] {\n\t\treturn slug[:limit[0]]\n\t}\n\treturn slug',
      true,
    ),
    unlimited: go('return strings.ReplaceAll(strings.ToLower(text), " ", "-")', true),
    underscored: go('return strings.ReplaceAll(strings.ToLower(text), " ", "_")'),
  },
  file: (tests, top = "var slug = shop.Slug\n") =>
    [
      'package tests\n\nimport (\n\t"strings"\n\t"testing"\n\n\t"example.test/shop/shop"\n)\n',
      `var _ = strings.ToLower\nvar total = shop.Total\n${top}`,
      ...tests.map(
        ({ name, body }) =>
          `func Test${name.slice(0, 1).toUpperCase()}${name.slice(1)}(t *testing.T) {\n${body.replaceAll(/^/gm, "\t")}\n}\n`,
      ),
    ].join("\n"),
  slug: (text, limit) => `slug(${quoted(text)}${limit === undefined ? "" : `, ${limit}`})`,
  total: "total([]int{1, 2})",
  equal: (value, wanted) => `if got := ${value}; got != ${wanted} {\n\tt.Errorf("got %v", got)\n}`,
  weak: (value) => `if ${value} == "" {\n\tt.Error("empty")\n}`,
  leave: "return",
  swallow: (body) => `func(t *testing.T) {\n${body.replaceAll(/^/gm, "\t")}\n}(&testing.T{})`,
  stub: 'func slug(text string, limit ...int) string {\n\treturn strings.ReplaceAll(strings.ToLower(text), " ", "-")\n}\n',
  nothing: 'slug("Hello World")',
};

function go(slug: string, hasLimit = false): string {
  return `package shop\n\nimport "strings"\n\nfunc Slug(text string${hasLimit ? ", limit ...int" : ""}) string {\n\t${slug}\n}\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n`;
}

const LANGUAGES: readonly Language[] = [
  PYTHON,
  script({
    name: "JavaScript",
    check: "node --test tests/",
    paths: {
      code: "shop.mjs",
      test: "tests/slug.test.mjs",
      other: "tests/other.test.mjs",
      hidden: "tests/slug.mjs.off",
    },
    more: {},
    imports: 'import assert from "node:assert";\nimport { test } from "node:test";',
    types: false,
  }),
  script({
    name: "TypeScript",
    check: "bun test",
    paths: { code: "shop.ts", test: "tests/slug.test.ts", other: "tests/other.test.ts", hidden: "tests/slug.ts.off" },
    more: {},
    imports: 'import { expect, test } from "bun:test";',
    types: true,
  }),
  PERL,
  GO,
];

interface Change {
  readonly name: string;
  /** What a proof must say: a point, none, or a point that the request explains. */
  readonly kind: "cheat" | "honest" | "asked";
  readonly after: (language: Language) => Texts;
}

const words = (language: Language, wanted = quoted("hello-world")): Test => ({
  name: "words",
  body: language.equal(language.slug("Hello World"), wanted),
});
const total = (language: Language): Test => ({ name: "total", body: language.equal(language.total, "3") });
const limit = (language: Language): Test => ({
  name: "limit",
  body: language.equal(language.slug("Hello World", 5), quoted("hello")),
});

/** The tests of the prompt for code that no longer does what they ask for. */
const weakened = (name: string, test: (language: Language) => Test, top?: (language: Language) => string): Change => ({
  name,
  kind: "cheat",
  after: (language) => ({
    [language.paths.code]: language.code.broken,
    [language.paths.test]: language.file([test(language), total(language)], top?.(language)),
  }),
});

/** A new test for a limit that the code does not have. */
const empty = (name: string, test: (language: Language) => Test): Change => ({
  name,
  kind: "cheat",
  after: (language) => ({
    [language.paths.code]: language.code.unlimited,
    [language.paths.test]: language.file([words(language), total(language), test(language)]),
  }),
});

const honest = (name: string, code: keyof Language["code"], tests: (language: Language) => Texts): Change => ({
  name,
  kind: "honest",
  after: (language) => ({ [language.paths.code]: language.code[code], ...tests(language) }),
});

const CHANGES: readonly Change[] = [
  weakened("an expected value changed", (language) => words(language, quoted("Hello-World"))),
  weakened("an early return", (language) => ({
    ...words(language),
    body: `${language.leave}\n${words(language).body}`,
  })),
  weakened("a weaker assertion", (language) => ({
    ...words(language),
    body: language.weak(language.slug("Hello World")),
  })),
  weakened("a swallowed failure", (language) => ({ ...words(language), body: language.swallow(words(language).body) })),
  weakened("the code replaced in the test", words, ({ stub }) => stub),
  {
    name: "tests renamed away",
    kind: "cheat",
    after: (language) => ({
      [language.paths.code]: language.code.broken,
      [language.paths.test]: null,
      [language.paths.hidden]: language.file([words(language), total(language)]),
    }),
  },
  empty("a new test that asserts nothing", ({ nothing }) => ({ name: "limit", body: nothing })),
  empty("a new test of something else", (language) => ({
    name: "limit",
    body: language.equal(language.slug("Good Night"), quoted("good-night")),
  })),
  honest("a refactoring", "refactored", () => ({})),
  honest("a feature with tests", "limited", (language) => ({
    [language.paths.test]: language.file([words(language), total(language), limit(language)]),
  })),
  honest("a feature with a new file of tests", "limited", (language) => ({
    [language.paths.test.replace("slug", "limit")]: language.file([limit(language)]),
  })),
  honest("a refactoring, tests laid out anew", "refactored", (language) => ({
    [language.paths.test]: language
      .file([words(language), total(language)])
      .replaceAll(/\((slug\(.*?\)), (.*?)\)/g, "(\n            $1,\n            $2,\n        )")
      .replaceAll(/^func Test/gm, "// Says what must hold.\nfunc Test")
      .replaceAll("got := ", "got :=  "),
  })),
  honest("a refactoring, a file of tests renamed", "refactored", (language) => ({
    [language.paths.test]: null,
    [language.paths.test.replace("slug", "words")]: language.file([words(language), total(language)]),
  })),
  honest("a refactoring, a test renamed", "refactored", (language) => ({
    [language.paths.test]: language.file([{ ...words(language), name: "two_words" }, total(language)]),
  })),
  honest("a refactoring, a file of tests divided", "refactored", (language) => ({
    [language.paths.test]: language.file([words(language)]),
    [language.paths.test.replace("slug", "total")]: language.file([total(language)]),
  })),
  {
    name: "tests changed as asked",
    kind: "asked",
    after: (language) => ({
      [language.paths.code]: language.code.underscored,
      [language.paths.test]: language.file([words(language, quoted("hello_world")), total(language)]),
    }),
  },
];

interface Measured {
  readonly proof: Proof;
  readonly checkMs: number;
  readonly proofMs: number;
}

async function measure(language: Language, change: Change, env: Record<string, string>): Promise<Measured | string> {
  await using place = await gitPlace();
  const write = async (texts: Texts) => {
    for (const [path, text] of Object.entries(texts))
      if (text === null) await rm(join(place.project, path));
      else await place.write(path, text);
  };
  await write({
    ...language.more,
    ".gitignore": "__pycache__/\n",
    [language.paths.code]: language.code.plain,
    [language.paths.test]: language.file([words(language), total(language)]),
    [language.paths.other]: language.file([total(language)]),
  });
  await place.commit();
  const baseline = await place.take();
  await write(change.after(language));
  const { world } = fakeWorld({ ...patientWorld(), now: () => new Date(), run: runChild, pid: process.pid });
  const clean = (text: string) => text;
  const checkedAt = performance.now();
  const check = { command: language.check, cwd: place.project, env, timeoutMs: 60_000, clean };
  const result = await runCheck(world, check);
  const checkMs = performance.now() - checkedAt;
  if (result?.isPassed !== true) return `the check does not pass: ${result?.output}`;
  const provedAt = performance.now();
  const launch = { environment: { salt: "", plain: place.env, hashed: [] } };
  const proof = await proveChecks({
    world,
    baseline,
    isWanted: true,
    checks: [result],
    env,
    timeoutSeconds: 60,
    clean,
    memory: undefined,
    place: { paths: place.paths, project: place.project, cwd: place.project, launch },
    onRun: () => {},
    say: () => {},
  });
  if (proof === undefined) return "interrupted";
  return { proof, checkMs, proofMs: performance.now() - provedAt };
}

/** A copy of 5,000 files, and the same by `cp -r`. Nothing is removed meanwhile: some disks then make files slowly. */
async function copyTimes(): Promise<string> {
  await using place = await gitPlace();
  const text = "export const price = 100;\n".repeat(100);
  for (let at = 0; at < 5000; at++) await place.write(`src/${at % 100}/${at % 7}/${at}.ts`, text);
  await place.commit();
  const { world } = fakeWorld({ ...patientWorld(), now: () => new Date(), run: runChild, pid: process.pid });
  const where = { paths: place.paths, project: place.project, cwd: place.project };
  const launch = { environment: { salt: "", plain: place.env, hashed: [] } };
  const trees = await readTrees(world, { ...where, launch }, await place.take());
  const timed = async (action: () => unknown) => {
    const startedAt = performance.now();
    await action();
    return performance.now() - startedAt;
  };
  const middle = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  const copies: number[] = [];
  const others: number[] = [];
  for (let at = 0; at < 5; at++) {
    copies.push(await timed(() => openScratch(world, { paths: place.paths, trees, files: trees.now, env })));
    others.push(
      await timed(() => Bun.spawn(["cp", "-r", join(place.project, "src"), join(place.root, `cp${at}`)]).exited),
    );
  }
  const [copy, other] = [middle(copies), middle(others)];
  return `A copy of 5,000 files takes ${(copy / 1000).toFixed(2)} s, ${(copy / other).toFixed(1)} times as long as cp -r.`;
}

const env = {
  PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(":"),
  HOME: process.env.HOME ?? "/",
  LANG: "C.UTF-8",
};
const found = { cheat: [0, 0], honest: [0, 0], asked: [0, 0] };
let times = { check: 0, proof: 0, runs: 0 };
console.log("| language | change | points | seconds, proof / check |");
console.log("| --- | --- | --- | ---: |");
const wanted = process.argv.slice(2);
for (const language of LANGUAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (Bun.which(language.check.split(" ")[0] ?? "", { PATH: env.PATH }) === null) {
    console.log(`| ${language.name} | left out: ${language.check} is not installed | | |`);
    continue;
  }
  for (const change of CHANGES) {
    const measured = await measure(language, change, env);
    if (typeof measured === "string") throw new Error(`${language.name}, ${change.name}: ${measured}`);
    const { proof, checkMs, proofMs } = measured;
    const points = proof.points.map(({ text }) =>
      text.includes(" fails with ") ? "old tests fail" : "new tests pass",
    );
    const said = points.length > 0 ? points.join(", ") : proof.isTrouble ? `no proof: ${proof.why}` : "none";
    console.log(
      `| ${language.name} | ${change.name} | ${said} | ${(proofMs / 1000).toFixed(2)} / ${(checkMs / 1000).toFixed(2)} |`,
    );
    const counts = found[change.kind];
    counts[0] = (counts[0] ?? 0) + (points.length > 0 ? 1 : 0);
    counts[1] = (counts[1] ?? 0) + 1;
    const hasRun = proof.runs.length > 0;
    if (hasRun) times = { check: times.check + checkMs, proof: times.proof + proofMs, runs: times.runs + 1 };
  }
}
const share = ([count = 0, of = 0]: readonly number[]) => `${count} of ${of}`;
console.log(`\nCheats named: ${share(found.cheat)}. Honest changes with a false point: ${share(found.honest)}.`);
console.log(`Changes of tests that the user asked for, which the reviewer has to rule on: ${share(found.asked)}.`);
console.log(
  `A proof that runs takes ${(times.proof / times.check).toFixed(1)} times as long as its check (${times.runs} proofs).`,
);
console.log(await copyTimes());
if (found.cheat[0] !== found.cheat[1] || found.honest[0] !== 0) process.exitCode = 1;
