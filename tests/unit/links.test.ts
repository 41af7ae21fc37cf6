import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const PAGES = ["*.md", "docs/**/*.md", ".github/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })])
  .sort();

/** The anchors that GitHub gives to the headings of a page. */
function anchorsIn(text: string): string[] {
  const headings = withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm);
  const slugs = [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return slugs.map((slug, index) => {
    const earlier = slugs.slice(0, index).filter((each) => each === slug).length;
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
}

function withoutCode(text: string): string {
  return text.replaceAll(/^( *```+)[^`].*?^\1 *$|^( *```+)\n.*?^\2 *$/gms, "");
}

/** Links of a page that lead nowhere in this repository. */
function brokenLinks(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const links = [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? join(ROOT, page) : join(ROOT, dirname(page), file);
    if (!existsSync(target) || relative(ROOT, target).startsWith("..")) return true;
    if (anchor === undefined || !statSync(target).isFile()) return anchor !== undefined;
    return !anchorsIn(readFileSync(target, "utf8")).includes(anchor);
  });
}

test("anchors are those of GitHub", () => {
  const text = "# ccc\n## With `-p`\n## What's new, now?\n```sh\n# not a heading\n```\n## ccc\n### In CI: the loop\n";
  expect(anchorsIn(text)).toEqual(["ccc", "with--p", "whats-new-now", "ccc-1", "in-ci-the-loop"]);
});

describe("links between pages lead somewhere:", () => {
  test.each(PAGES)("%s", (page) => expect(brokenLinks(page)).toEqual([]));
});

test("the pages for users can be read: at most 2,200 words each, 22,500 in all", () => {
  const pages = PAGES.filter((page) => /^docs\/[^/]+\.md$/.test(page));
  const words = pages.map((page) => readFileSync(join(ROOT, page), "utf8").split(/\s+/).filter(Boolean).length);
  expect(pages.filter((_, index) => (words[index] ?? 0) > 2_200)).toEqual([]);
  expect(words.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(22_500);
});

test("docs/README.md leads to every page", () => {
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.filter((page) => !index.includes(`](${page.slice("docs/".length)})`))).toEqual([]);
});

test("links from ccc's help and messages lead to headings", () => {
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync(ROOT)].map((file) => readFileSync(join(ROOT, file), "utf8"));
  const links = sources.flatMap((text) => [...text.matchAll(/docsPage\("([^"]+)"\)/g)].map(([, link = ""]) => link));
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter((link) => {
    const [file = "", anchor] = link.split("#");
    const path = join(ROOT, "docs", file);
    if (!existsSync(path)) return true;
    return anchor !== undefined && !anchorsIn(readFileSync(path, "utf8")).includes(anchor);
  });
  expect(broken).toEqual([]);
});
