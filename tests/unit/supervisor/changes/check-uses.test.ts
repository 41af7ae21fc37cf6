import { describe, expect, test } from "bun:test";
import { checkUses } from "../../../../src/supervisor/changes/check-uses.ts";

const SCRIPTS: Record<string, Record<string, string>> = {
  "package.json": { test: "vitest run && npm run lint", lint: "node scripts/lint.js", again: "npm run again" },
  "packages/a/package.json": { test: "./run.sh" },
  "composer.json": { qa: "php tools/qa.php" },
  "deno.json": { check: "deno run tools/check.ts" },
};

/** "file" or "file#script"; words that name no file of the project are in the list too, and do no harm. */
function uses(command: string, folder = ""): string[] {
  const found = checkUses({
    commands: [command],
    folder,
    top: "/top",
    scriptsIn: (path) => (SCRIPTS[path] === undefined ? undefined : new Map(Object.entries(SCRIPTS[path]))),
  });
  return found.map(({ path = "*", script }) => (script === undefined ? path : `${path}#${script}`));
}

describe("a check uses", () => {
  const cases: [command: string, expected: string[], folder?: string][] = [
    ["npm test", ["package.json#pretest", "package.json#test", "package.json#posttest"]],
    ["npm t", ["package.json#test", ".npmrc"]],
    ["npm test", ["vite.config.ts", "vite.config.mjs"]],
    ["yarn test", [".npmrc", ".yarnrc.yml"]],
    ["mvn -q verify", ["pom.xml", ".mvn/maven.config"]],
    ["npx prettier --check .", [".prettierignore"]],
    ["npm run lint", ["package.json#lint", "scripts/lint.js"]],
    ["npm --silent run lint -- --fix", ["package.json#lint"]],
    ["npm test", ["package.json#lint", "scripts/lint.js"]],
    ["npm run again", ["package.json#again"]],
    ["npm test", ["packages/a/package.json#test", "packages/a/run.sh"], "packages/a"],
    ["npm --prefix packages/a test", ["packages/a/package.json#test", "packages/a/run.sh"]],
    ["cd packages/a && npm test", ["packages/a/package.json#test"]],
    ["npm test", ["package.json#test"], "packages/b"],
    ["npm -w a test", ["*#test"]],
    ["pnpm lint", ["package.json#lint"]],
    ["yarn test", ["package.json#test"]],
    ["bun run lint", ["package.json#lint"]],
    ["deno task check", ["deno.json#check", "tools/check.ts"]],
    ["composer qa", ["composer.json#qa", "tools/qa.php"]],
    ["./scripts/check.sh", ["scripts/check.sh"]],
    ["bash x.sh --all", ["x.sh"]],
    ["/top/scripts/check.sh", ["scripts/check.sh"]],
    ["sh ../../ci/all.sh", ["ci/all.sh"], "packages/a"],
    ["CI=1 timeout 60 make test", ["Makefile", "GNUmakefile"]],
    ["make -C sub check", ["sub/Makefile"]],
    ["make -f ci.mk", ["ci.mk"]],
    ["just check", ["justfile"]],
    ["./gradlew test", ["gradlew", "build.gradle.kts"]],
    ["npx tsc --noEmit", ["tsconfig.json"]],
    ["jest --config=ci/jest.js", ["ci/jest.js"]],
    [`bash -c "cd sub; make all"`, ["sub/Makefile"]],
    ["(cd sub && ./a.sh)", ["sub/a.sh"]],
  ];
  for (const [command, expected, folder] of cases)
    test(`${command}${folder === undefined ? "" : ` in ${folder}`}`, () =>
      expect(uses(command, folder)).toEqual(expect.arrayContaining(expected)));
});

describe("a check does not use", () => {
  const cases: [command: string, path: string][] = [
    ["bun test", "package.json#test"],
    ["npm ci", "package.json#ci"],
    ["echo make", "Makefile"],
    ["/tmp/scripts/check.sh", "scripts/check.sh"],
    ["../outside.sh", "outside.sh"],
    ["npm test constructor", "package.json#constructor"],
  ];
  for (const [command, path] of cases) test(`${command}: ${path}`, () => expect(uses(command)).not.toContain(path));
});
