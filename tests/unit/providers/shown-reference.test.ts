import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shownReference } from "../../../src/providers/shown-reference.ts";

describe("a reference as anyone may see it", () => {
  const same = [
    "env:MY_KEY",
    "file:~/keys/glm 4.txt",
    "keychain:glm@/home/u/x",
    "cmd:pass show kimi",
    "cmd: pass show ai/glm-4.7 | head -1",
    "cmd:security find-generic-password -s kimi -w",
    "cmd:op read op://Private/kimi/credential",
    "cmd:python3 ~/bin/print_key.py --name kimi 2>/dev/null",
    "cmd:'/opt/my tools/key' $HOME && cat \"/home/u/it is/here.txt\"",
    "cmd:C:\\tools\\key.exe /q",
    "cmd:cut -d: -f2 < /etc/keys",
    "cmd:exit 3",
    `cmd:get ${"w".repeat(23)}`,
  ];
  for (const reference of same) test(reference, () => expect(shownReference(reference)).toBe(reference));

  const table: [reference: string, shown: string][] = [
    ["file:https://me:pass@x/y", "file:https://***@x/y"],
    ["cmd:echo sk-abc", "cmd:echo ***"],
    ["cmd:printf '%s' swordfish >&2; echo -n password", "cmd:printf *** *** >&2; echo -n ***"],
    ["cmd:curl -H 'X-Api-Key: abc' https://v.test/", "cmd:curl -H 'X-Api-Key: ***' https://v.test/"],
    ['cmd:curl -H "Authorization: Bearer abc" x', 'cmd:curl -H "Authorization: Bearer ***" x'],
    ["cmd:curl --header=X-Api-Key:abc", "cmd:curl --header=***"],
    ["cmd:curl -HX-Api-Key:abc", "cmd:curl ***"],
    ["cmd:curl -u me:pass -s https://v.test/?k=v", "cmd:curl -u me:*** -s https://v.test/?***"],
    ["cmd:curl https://me:pass@v.test/0123456789abcdef/x", "cmd:curl https://***@v.test/***/x"],
    ["cmd:vault read --token abc -f", "cmd:vault read --token *** -f"],
    ["cmd:vault read --token=abc", "cmd:vault read --token=***"],
    ["cmd:vault read --token=abc kimi", "cmd:vault read --token=*** kimi"],
    ["cmd:vault read --name kimi --token < abc kimi", "cmd:vault read --name kimi --token < abc ***"],
    ["cmd:vault read --password swordfish", "cmd:vault read --password ***"],
    ["cmd:VAULT_TOKEN=abc LANG=C X=a1 vault read", "cmd:VAULT_TOKEN=*** LANG=C X=*** vault read"],
    ["cmd:a; KEY=abc b | C=s.1 d", "cmd:a; KEY=*** b | C=*** d"],
    ["cmd:mysql -phunter2 -p hunter", "cmd:mysql *** -p ***"],
    ["cmd:get hunter2 a1B2c3/d4", "cmd:get *** ***"],
    ["cmd:sh -c 'curl -H abc'", "cmd:sh -c ***"],
    ["cmd:get $(echo abc) `echo abc`", "cmd:get $(echo ***) *** ***"],
    ["cmd:get 'it''s' \"a\\\"b\"", "cmd:get *** ***"],
    ["cmd:get it's abc", "cmd:get it***"],
    ["cmd:0123456789abcdef", "cmd:***"],
    [`cmd:get ${"w".repeat(24)} ${"w".repeat(24)}/x`, "cmd:get *** ***"],
  ];
  for (const [reference, shown] of table) test(reference, () => expect(shownReference(reference)).toBe(shown));

  test("whatever it is, a key in it does not show", () => {
    const key = "s3cr3t-0f-th3-t3st";
    const piece = fc.oneof(
      fc.string({ unit: "grapheme-ascii" }),
      fc.constantFrom(" ", "'", '"', "-H ", "--x=", "K=", ";", "|", "https://", "/", "\\", "echo ", ": ", "$("),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    fc.assert(fc.property(text, text, (before, after) => !shownReference(`cmd:${before}${key}${after}`).includes(key)));
  });
});
