import { expect, test } from "bun:test";
import { ownConfig } from "../../../../src/supervisor/baseline/store.ts";

test("of the repository's configuration only facts about the disk are taken over", () => {
  const planted = `[core]
	fileMode = false
	symlinks = true
	ignorecase = !touch x
	fsmonitor = /bin/x
	worktree = /
[include]
	path = y
[filter "f"]
	clean = x
`;
  const own = ownConfig(planted, "sha1").split("\n");
  expect(own).toEqual(expect.arrayContaining(["fileMode = false", "symlinks = true", "fsmonitor = false"]));
  // Else a file with its old size and time would pass for unchanged, if the user's git says so.
  expect(own).toEqual(expect.arrayContaining(["trustctime = true", "checkstat = default"]));
  expect(own.join("\n")).not.toMatch(/\bx\b|worktree|include|filter/);
});

test("the object format is the repository's", () => {
  expect(ownConfig("", "sha1")).not.toContain("[extensions]");
  expect(ownConfig("", "sha256")).toContain("repositoryformatversion = 1");
  expect(ownConfig("", "sha256")).toContain("[extensions]\nobjectformat = sha256\n");
});
