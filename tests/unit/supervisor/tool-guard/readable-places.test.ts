import { expect, test } from "bun:test";
import fc from "fast-check";
import { isSecret, isWithin } from "../../../../src/supervisor/tool-guard/readable-places.ts";

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

/** What `isSecret` looks up name by name, in one expression. */
const SECRET_NAME =
  /\/\.(ssh|aws|gnupg|kube)(\/|$)|\/\.git\/config$|\/(\.env(rc)?|[._]netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.credentials\.json)$|\/\.env\.(?!(example|sample|template|dist|defaults?)$)[^/]*$|\/id_(rsa|dsa|ecdsa|ed25519)$|\.(pem|key|p12|pfx|jks|keystore|kdbx)$/i;

test("property: names of secrets are found anywhere, in any case", () => {
  const words = [
    ...["ssh", "aws", "gnupg", "kube", "git", "config", "env", "envrc", "example", "default", "defaults", "local"],
    ...["netrc", "npmrc", "pypirc", "git-credentials", "htpasswd", "credentials.json", "id_rsa", "id_ed25519", "id_rs"],
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
      "",
    ],
  ];
  const path = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => `/p/${parts.join("")}`);
  const dotted = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => `/p/.${parts.join(".")}`);
  fc.assert(
    fc.property(
      fc.oneof(path, dotted),
      (each) => isSecret(each, { home: "/home/u", own: [] }) === SECRET_NAME.test(each),
    ),
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
])("%s in the home %s is a secret: %p", (path, home, is) => expect(isSecret(path, { home, own: [] })).toBe(is));
