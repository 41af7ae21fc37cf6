import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canDo, canWake, hookForm, VERSION_FACTS } from "../../../src/claude/versions.ts";

describe("hook form", () => {
  test.each([
    ["2.1.139", "linux", "exec"],
    ["2.1.325", "linux", "exec"],
    ["2.2.0", "darwin", "exec"],
    ["2.1.138", "linux", "shell"],
    ["2.0.77", "darwin", "shell"],
    ["2.1.325", "win32", "exec"],
    ["2.1.138", "win32", "shell"],
    [undefined, "linux", "shell"],
    [undefined, "win32", "exec"],
  ] as const)("hooks of Claude Code %p on %s: %s form", (version, platform, form) =>
    expect(hookForm(version, platform)).toBe(form),
  );
});

describe("version facts", () => {
  const ROOT = join(import.meta.dir, "../../..");

  test.each([
    ["2.1.47", "wakingHooks", false],
    ["2.1.96", "wakingHooks", true],
    ["2.2.0", "wakingHooks", true],
    ["2.1.140", "hookNotifications", false],
    ["2.1.141", "hookNotifications", true],
    ["2.1.162", "stopFeedback", false],
    ["2.1.163", "stopFeedback", true],
    ["2.0.77", "stopFeedback", false],
    [undefined, "stopFeedback", false],
    [null, "hookNotifications", false],
  ] as const)("Claude Code %p, %s: %p", (version, fact, can) => expect(canDo(version, fact)).toBe(can));

  test("facts are in the order of their versions", () => {
    const since = Object.values(VERSION_FACTS).map((fact) => fact.since);
    expect(since.toSorted(Bun.semver.order)).toEqual(since);
  });

  test("what the docs say of a version is in the table", () => {
    const known = new Set<string>(Object.values(VERSION_FACTS).map((fact) => fact.since));
    const pages = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)];
    const bounds = pages
      .filter((name) => name.endsWith(".md"))
      .flatMap((name) => {
        const text = readFileSync(join(ROOT, name), "utf8").replaceAll("\n", " ");
        return [...text.matchAll(/(\b2\.[01]\.\d+) (?:or newer|or later|on\b)|before (2\.[01]\.\d+)/g)];
      })
      .map(([, from, before]) => from ?? before ?? "");
    expect(bounds.length).toBeGreaterThan(5);
    expect(bounds.filter((version) => !known.has(version))).toEqual([]);
  });

  test("docs/compatibility.md has the table", () => {
    const page = readFileSync(join(ROOT, "docs/compatibility.md"), "utf8");
    const missing = Object.values(VERSION_FACTS).filter(({ what, since }) => !page.includes(`| ${what} | ${since} |`));
    expect(missing).toEqual([]);
  });

  test.each([
    ["2.1.240", true],
    // It would wake, but its hooks cannot tell when the session has ended.
    ["2.1.142", false],
    ["2.0.77", false],
    [undefined, false],
  ] as const)("Claude Code %p can be woken after a usage limit: %p", (version, can) =>
    expect(canWake(version)).toBe(can),
  );
});
