import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkPlace, isWithin } from "../../../../src/supervisor/guard/places.ts";
import { secretPatterns } from "../../../../src/supervisor/guard/secret-names.ts";

describe("readable places", () => {
  /** With every folder readable. */
  const isSecret = (path: string, home: string) => {
    const folders = ["/", "C:/"];
    try {
      checkPlace(path, { folders, home, own: [], slug: undefined, files: [], gitFolders: [] });
      return false;
    } catch (error) {
      expect(String(error)).toContain("may contain secrets");
      return true;
    }
  };

  test.each([
    ["/a/b", "/a", true],
    ["/a", "/a", true],
    ["/ab", "/a", false],
    ["/A/b", "/a", false],
    ["/a\\b", "/a", false],
    ["/a", "/", true],
    ["C:\\p\\bin", "C:\\p", true],
    ["c:/P/bin", "C:\\p", true],
    ["C:\\p\\", "C:\\p", true],
    ["C:\\Users\\u", "C:\\", true],
    ["C:\\project", "C:\\p", false],
    ["D:\\p", "C:\\p", false],
    ["\\\\server\\share\\P", "//server/share/p", true],
    ["//server/share/other", "//server/share/p", false],
  ])("%s is within %s: %p", (path, folder, is) => expect(isWithin(path, folder)).toBe(is));

  test("a path is within several folders if it is in one of them", () => {
    expect(isWithin("/b/c", "/a", "/b")).toBe(true);
    expect(isWithin("/b/c", "/a", "/c")).toBe(false);
    expect(isWithin("/b/c")).toBe(false);
  });

  /** The names that `checkPlace` looks up one by one, in one expression. */
  const SECRET_NAME =
    /\/\.(ssh|aws|gnupg|kube)(\/|$)|\/\.git\/(.*\/)?config(\.worktree)?$|\/(\.env(rc)?|[._]netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.credentials\.json)$|\/\.env\.(?!(example|sample|template|dist|defaults?)$)[^/]*$|\/id_(rsa|dsa|ecdsa|ed25519)$|\.(pem|key|p12|pfx|jks|keystore|kdbx)$/i;

  test("property: names of secrets are found anywhere, in any case, and so they are by the patterns for other tools", () => {
    const words = [
      ...[
        "ssh",
        "aws",
        "gnupg",
        "kube",
        "git",
        "config",
        "modules/",
        "worktree",
        "env",
        "envrc",
        "example",
        "default",
        "defaults",
        "local",
      ],
      ...[
        "netrc",
        "npmrc",
        "pypirc",
        "git-credentials",
        "htpasswd",
        "credentials.json",
        "id_rsa",
        "id_ed25519",
        "id_rs",
      ],
      ...[
        "pem",
        "key",
        "p12",
        "pfx",
        "jks",
        "keystore",
        "kdbx",
        "keys",
        "p",
        "PEM",
        "Env",
        "SSH",
        ".",
        "/",
        "_",
        "/.",
        "/.git/",
        "",
      ],
    ];
    const path = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => `/p/${parts.join("")}`);
    const dotted = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => `/p/.${parts.join(".")}`);
    const globs = secretPatterns().map((pattern) => new Bun.Glob(`/**/${pattern}`));
    fc.assert(
      fc.property(fc.oneof(path, dotted), (each) => {
        const is = SECRET_NAME.test(each);
        const isFound = globs.some((glob) => glob.match(each));
        expect([each, isSecret(each, "/home/u"), isFound]).toEqual([each, is, is]);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ["/home/u/.ssh", "/home/u", true],
    ["/home/u/.docker/config.json", "/home/u", true],
    ["/home/u/.config/gh/hosts.yml", "/home/u", true],
    ["/home/u/.config/git/credentials", "/home/u", true],
    ["/home/u/.config/git/ignore", "/home/u", false],
    ["/home/u/.dockerfile", "/home/u", false],
    ["/home/u/p/.docker/config.json", "/home/u", false],
    ["/home/u2/.docker/config.json", "/home/u", false],
    ["/home/u", "/home/u", false],
    ["/.docker/config.json", "/", true],
    ["C:/Users/u/appdata/Roaming/x", "C:/Users/u", true],
    ["c:/users/u/AppData", "C:/Users/u", true],
    ["C:/Users/u/p/AppData", "C:/Users/u", false],
  ])("%s in the home %s is a secret: %p", (path, home, is) => expect(isSecret(path, home)).toBe(is));
});
