import { describe, expect, test } from "bun:test";
import { hasStoredKey, isTrusted, readLayers, readLogins, readManaged } from "../../../src/claude/layers.ts";
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

describe("logins", () => {
  const STATE = "/h/.claude.json";
  const CREDENTIALS = "/h/.claude/.credentials.json";

  function logins(content: Record<string, string>, platform: NodeJS.Platform = "linux", env = {}) {
    const { key, token } = readLogins(memoryFiles(content), { env: { HOME: "/h", ...env }, platform });
    return { key, token };
  }

  const NONE = { key: undefined, token: undefined };
  const account = { [STATE]: '{"oauthAccount":{}}' };

  const table: [name: string, found: ReturnType<typeof logins>, expected: ReturnType<typeof logins>][] = [
    ["no files", logins({}), NONE],
    ["broken files", logins({ [STATE]: "{", [CREDENTIALS]: "[]" }), NONE],
    ["no logins", logins({ [STATE]: '{"primaryApiKey":""}', [CREDENTIALS]: '{"claudeAiOauth":null}' }), NONE],
    ["a key", logins({ [STATE]: '{"primaryApiKey":"k"}' }), { key: "k", token: undefined }],
    ["a subscription", logins({ [CREDENTIALS]: '{"claudeAiOauth":{"accessToken":"t"}}' }), { ...NONE, token: "t" }],
    ["an account on macOS", logins(account, "darwin"), { ...NONE, token: "in the keychain" }],
    ["an account elsewhere", logins(account), NONE],
    [
      "another configuration folder",
      logins({ "/c/.claude.json": '{"primaryApiKey":"k"}' }, "linux", { CLAUDE_CONFIG_DIR: "/c" }),
      { key: "k", token: undefined },
    ],
  ];

  for (const [name, found, expected] of table) test(`stored logins: ${name}`, () => expect(found).toEqual(expected));

  const KEY = '{"primaryApiKey":"k"}';
  const ACCOUNT = '{"oauthAccount":{}}';

  test.each([
    ["a key", "linux", KEY, true],
    ["a key on macOS", "darwin", KEY, true],
    ["an account on macOS, whose key is in the keychain", "darwin", ACCOUNT, true],
    ["an account elsewhere", "linux", ACCOUNT, false],
    ["neither, on macOS", "darwin", "{}", false],
  ] as const)("a login stored an API key: %s", (_, platform, state, expected) => {
    const place = { env: { HOME: "/h" }, cwd: "/p", platform };
    expect(hasStoredKey(memoryFiles({ [STATE]: state }), place)).toBe(expected);
  });

  const trust = (folder: string, accepted: unknown) =>
    JSON.stringify({ projects: { [folder]: { hasTrustDialogAccepted: accepted } } });

  test.each([
    ["accepted", "linux", "/p", trust("/p", true), true],
    ["not accepted", "linux", "/p", trust("/p", false), false],
    ["something else than true", "linux", "/p", trust("/p", "true"), false],
    ["never asked", "linux", "/p", "{}", false],
    ["accepted in another folder", "linux", "/p", trust("/q", true), false],
    ["accepted where a name has a backslash", "linux", "/p\\q", trust("/p\\q", true), true],
    ["accepted in a folder with a similar name", "linux", "/p\\q", trust("/p/q", true), false],
    ["accepted on Windows, where the file has slashes", "win32", "C:\\p\\q", trust("C:/p/q", true), true],
    ["a broken file", "linux", "/p", "{", false],
  ] as const)("trust in a folder: %s", (_, platform, cwd, state, expected) => {
    const place = { env: { HOME: "/h", USERPROFILE: "/h" }, cwd, platform };
    expect(isTrusted(memoryFiles({ [STATE]: state }), place)).toBe(expected);
  });
});
