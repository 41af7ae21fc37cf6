import { baseName, isElsewhere } from "./test-files.ts";

/** "ci" if it can only be weakened, "tests" if adding it can also change how existing tests run. */
export function configurationKind(path: string): "ci" | "tests" | undefined {
  if (isElsewhere(path)) return undefined;
  if (CI_PATHS.some((pattern) => pattern.test(path))) return "ci";
  return TEST_NAMES.some((pattern) => pattern.test(baseName(path))) ? "tests" : undefined;
}

const CI_PATHS = [
  /^\.github\/(?:workflows|actions)\//,
  /^\.(?:circleci|buildkite|woodpecker|teamcity|husky|ci)\//,
  /^\.gitlab-ci[\w.-]*\.ya?ml$|^\.gitlab\/ci\//,
  /^\.?(?:travis|drone|woodpecker|appveyor|cirrus)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec)[\w.-]*\.ya?ml$/,
  /^Jenkinsfile/,
  /^\.pre-commit-config\.ya?ml$|^\.?lefthook\.\w+$/,
];

const TEST_NAMES = [
  // Runners.
  /^(?:jest|vitest|karma|playwright|cypress|wdio|ava|web-test-runner|nightwatch|stryker)[\w.-]*\.conf(?:ig)?\.\w+$/,
  /^(?:jest|vitest)[\w.-]*\.(?:setup|preset|workspace|projects)[\w.-]*\.\w+$|^setupTests\.\w+$/,
  /^\.(?:mocharc|nycrc|c8rc|taprc|jestrc|testcaferc)(?:\.\w+)?$|^(?:cypress|jasmine)\.json$/,
  /^bunfig\.toml$|^nextest\.toml$|^junit-platform\.properties$/,
  /^(?:pytest|tox)\.ini$|^\.?pytest\.toml$|^conftest\.py$|^noxfile\.py$/,
  /^phpunit[\w.-]*\.xml(?:\.dist)?$|^Pest\.php$|^\.rspec$|^codeception\.ya?ml$/,
  // Coverage.
  /^\.coveragerc$|^\.?codecov\.ya?ml$|^\.simplecov$|^tarpaulin\.toml$/,
  // Linters and type checkers.
  /^eslint\.config\.\w+$|^\.(?:eslintrc|stylelintrc|jshintrc)(?:\.\w+)?$|^\.eslintignore$|^stylelint\.config\.\w+$|^tslint\.json$/,
  /^biome\.jsonc?$|^\.?oxlintrc\.json$|^\.?ruff\.toml$|^\.flake8$|^\.?pylintrc$|^\.?mypy\.ini$|^pyrightconfig\.json$/,
  /^\.rubocop(?:_todo)?\.yml$|^\.golangci\.(?:ya?ml|toml|json)$|^\.?clippy\.toml$|^\.swiftlint\.yml$/,
  /^phpstan[\w.-]*\.neon(?:\.dist)?$|^psalm\.xml(?:\.dist)?$|^detekt\.yml$|^checkstyle\.xml$|^\.credo\.exs$/,
];

/** For files with other things in them as well: the sections that are about tests. */
export function testSections(path: string): RegExp | undefined {
  return isElsewhere(path) ? undefined : SECTIONS.get(baseName(path));
}

const SECTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["pyproject.toml", /^tool\.(?:pytest|coverage|tox|nox|ruff|mypy|pylint|pyright|flake8|poe|hatch\.envs)\b/],
  ["setup.cfg", /^(?:tool:pytest|flake8|coverage|mypy|pylint|pycodestyle)\b/],
  ["Cargo.toml", /^(?:test|lints|workspace\.lints)\b/],
]);

/** The sections of an INI or TOML file that changed, without comments and empty lines. */
export function changedSections(wanted: RegExp, before: string, after: string): { name: string; how: string }[] {
  const [old, now] = [sectionsOf(before, wanted), sectionsOf(after, wanted)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    return was === is
      ? []
      : [{ name, how: was === undefined ? "was added" : is === undefined ? "was removed" : "changed" }];
  });
}

function sectionsOf(text: string, wanted: RegExp): Map<string, string> {
  const sections = new Map<string, string>();
  let name = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [, header] = /^\[{1,2}\s*(\w[\w.:"'@*/ -]*?)\s*\]{1,2}\s*(?:[#;].*)?$/.exec(line) ?? [];
    name = header?.replaceAll(/["']/g, "") ?? name;
    const isComment = line === "" || /^[#;]/.test(line);
    if (wanted.test(name) && !isComment) sections.set(name, `${sections.get(name) ?? ""}${line}\n`);
  }
  return sections;
}
