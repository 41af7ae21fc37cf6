import { describe, expect, test } from "bun:test";
import { readLayers, readManaged } from "../../../src/claude/layers.ts";
import { join } from "../../../src/os/path.ts";
import { memoryFiles } from "../fakes.ts";

describe("layers", () => {
  const LOCAL = ".claude/settings.local.json";
  const worktree = { "/r/.git/HEAD": "", "/w/.git": "gitdir: /r/.git/worktrees/w\n" };

  describe("local settings are read where Claude Code reads them", () => {
    const table: [name: string, cwd: string, files: Record<string, string>, found: string[]][] = [
      ["in the folder", "/p", {}, ["/p"]],
      ["at the repository's root too", "/r/sub/deep", { "/r/.git/HEAD": "" }, ["/r/sub/deep", "/r"]],
      ["once, at the root itself", "/r", { "/r/.git/HEAD": "" }, ["/r"]],
      ["in the main repository of a worktree", "/w/sub", worktree, ["/w/sub", "/r"]],
      ["at the root of a submodule", "/r/m/sub", { "/r/m/.git": "gitdir: ../.git/modules/m\n" }, ["/r/m/sub", "/r/m"]],
      ["at the nearest repository", "/r/in/sub", { "/r/.git/HEAD": "", "/r/in/.git/HEAD": "" }, ["/r/in/sub", "/r/in"]],
      ["not in a sibling with half of its name", "/r/in\\sub", { "/r/in/.git/HEAD": "" }, ["/r/in\\sub"]],
      ["not in a home that is a repository", "/home/u/p", { "/home/u/.git/HEAD": "" }, ["/home/u/p"]],
    ];
    test.each(table)("%s", (_, cwd, files, found) => {
      const everywhere = [
        "/p",
        "/r",
        "/w",
        "/r/sub",
        "/r/sub/deep",
        "/w/sub",
        "/r/m",
        "/r/m/sub",
        "/r/in",
        "/r/in/sub",
        "/r/in\\sub",
      ];
      const local = Object.fromEntries(
        [...everywhere, "/home/u", "/home/u/p"].map((folder) => [`${folder}/${LOCAL}`, "{}"]),
      );
      const place = { env: { HOME: "/home/u" }, cwd, platform: "linux" as const };
      const { settings } = readLayers(memoryFiles({ ...files, ...local }), place);
      expect(settings.map(({ path, scope }) => [path, scope])).toEqual(
        found.map((folder) => [`${folder}/${LOCAL}`, "local"]),
      );
    });
  });

  test.each([
    ["in the folder and at the repository's root", "C:\\r\\sub", "C:\\r"],
    ["at the root of a drive", "C:\\sub", "C:\\"],
    ["in the main repository of a worktree", "D:\\w\\sub", "C:/r"],
  ])("local settings on Windows: %s", (_, cwd, root) => {
    const worktree = { "D:\\w\\.git": "gitdir: C:/r/.git/worktrees/w\n" };
    const repository = join(root, ".git");
    const files = memoryFiles({
      ...(cwd.startsWith("D:") ? worktree : { [repository]: "", [join(repository, ".")]: "" }),
      [join(cwd, LOCAL)]: "{}",
      [join(root, LOCAL)]: "{}",
    });
    const place = { env: { USERPROFILE: "C:\\Users\\u" }, cwd, platform: "win32" as const };
    expect(readLayers(files, place).settings.map(({ path }) => path)).toEqual([join(cwd, LOCAL), join(root, LOCAL)]);
  });

  test.each([
    ["linux", "/etc/claude-code"],
    ["darwin", "/Library/Application Support/ClaudeCode"],
    ["win32", "C:\\Program Files\\ClaudeCode"],
  ] as const)("the organization's policy on %s is in %s", (platform, folder) => {
    const files = memoryFiles({ [join(folder, "managed-settings.json")]: '{"env":{"A":"1"}}' });
    expect(readManaged(files, platform)).toMatchObject([{ scope: "managed", env: { A: "1" } }]);
  });

  test.each([
    [{ disableAllHooks: true }, true],
    [{ allowManagedHooksOnly: true }, true],
    [{ strictPluginOnlyCustomization: ["hooks"] }, true],
    [{ disableAllHooks: false, allowManagedHooksOnly: false }, false],
    [{}, false],
  ])("settings that keep the user's hooks from running: %j %p", (settings, expected) => {
    const files = memoryFiles({ "/h/.claude/settings.json": JSON.stringify(settings) });
    const place = { env: { HOME: "/h" }, cwd: "/p", platform: "linux" as const };
    expect(readLayers(files, place).settings.map(({ forbidsHooks }) => forbidsHooks)).toEqual([expected]);
  });
});
