import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRedactor, isSecret, maskSecret, secretsIn, withoutUrlSecrets } from "../../../src/text/redact.ts";

describe("a redactor, line by line", () => {
  const SECRET = 'sk-"quoted"/and\\back-ü-😀-0123';
  const { line } = createRedactor([SECRET, "plain-secret-1", "in-the-end\\"]);
  const clean = (text: string) => Buffer.from(line(Buffer.from(text))).toString();

  /** A string of JSON in which every character is written as \\uXXXX. */
  const allEscaped = (text: string) =>
    `"${text
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("")}"`;

  describe("a line of JSON", () => {
    const table: [name: string, dirty: string, clean: string][] = [
      ["without a secret", '{"a": "x\\n\\u00e9", "b":1.50}', '{"a": "x\\n\\u00e9", "b":1.50}'],
      ["with one", '{"a":  "x plain-secret-1 y\\t"}', '{"a":  "x *** y\\t"}'],
      ["with one in the name of a field", '{"plain-secret-1":true}', '{"***":true}'],
      ["with one that JSON escapes", `{"a":${JSON.stringify(`<${SECRET}>`)}}`, '{"a":"<***>"}'],
      [
        "with one whose slash is escaped",
        `["${JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")}\\n"]`,
        '["***\\n"]',
      ],
      ["with one that is all escapes", `[${allEscaped(`a${SECRET}b`)}]`, '["\\u0061***\\u0062"]'],
      ["with one in JSON inside a string", JSON.stringify(JSON.stringify({ a: SECRET })), '"{\\"a\\":\\"***\\"}"'],
      ["with two in a row", '["plain-secret-1plain-secret-1"]', '["******"]'],
      ["with one behind an escape that JSON does not know", '["\\plain-secret-1"]', '["***"]'],
      ["with one that ends in such an escape", '["in-the-end\\x"]', '["***"]'],
      ["that is truncated", '{"a":"x plain-secret-1 y', '{"a":"x *** y'],
    ];
    for (const [name, dirty, expected] of table) test(name, () => expect(clean(dirty)).toBe(expected));

    test("invalid UTF-8 is kept", () => {
      const bytes = Buffer.concat([Buffer.from('["\\n'), Buffer.from([0xff, 0xc3]), Buffer.from('plain-secret-1"]')]);
      const expected = Buffer.concat([Buffer.from('["\\n'), Buffer.from([0xff, 0xc3]), Buffer.from('***"]')]);
      expect(Buffer.from(line(bytes)).equals(expected)).toBe(true);
    });

    test("a number equal to a secret is left alone", () => {
      const redactor = createRedactor(["640000"]);
      const text = '{"tokens":640000,"said":"640000"}';
      expect(Buffer.from(redactor.line(Buffer.from(text))).toString()).toBe('{"tokens":640000,"said":"***"}');
    });

    test("property: stays valid JSON of the same shape, without the secret; unchanged if there was none", () => {
      const word = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(SECRET, "plain-secret-1", '"', "\\", "\n"));
      const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
      const { value: tree } = fc.letrec((tie) => ({
        value: fc.oneof(
          text,
          fc.integer(),
          fc.constant(null),
          fc.array(tie("value")),
          fc.dictionary(fc.string(), tie("value")),
        ),
      }));
      const known = createRedactor([SECRET, "plain-secret-1"]).known;
      fc.assert(
        fc.property(tree, fc.boolean(), (value, spaced) => {
          const json = JSON.stringify(value, null, spaced ? 2 : 0);
          const strings = (found: unknown) =>
            JSON.stringify(found, (_, item) => (typeof item === "string" ? known(item) : item));
          expect(JSON.stringify(JSON.parse(clean(json)))).toBe(strings(value));
          if (!json.includes("secret") && !json.includes("quoted")) expect(clean(json)).toBe(json);
        }),
      );
    });

    test("a large one with many escapes takes linear time", () => {
      const started = performance.now();
      const long = JSON.stringify({ text: `${'\n"\\/'.repeat(100_000)}plain-secret-1` });
      expect(clean(long).endsWith('***"}')).toBe(true);
      expect(clean(`"${"\\\\".repeat(200_000)}"`)).toHaveLength(400_002);
      expect(performance.now() - started).toBeLessThan(30_000);
    });
  });
});

describe("secrets", () => {
  describe("isSecret", () => {
    const table: [name: string, value: string, secret: boolean][] = [
      ["ANTHROPIC_AUTH_TOKEN", "sk-0123456789", true],
      ["ANTHROPIC_AUTH_TOKEN", "12345678", true],
      ["MY_API_KEY", "12345678", true],
      ["API_TOKENS", "a,b", true],
      ["API_TOKENS", "123456,234567", true],
      ["API_TOKENS", "123456789012", true],
      ["ANTHROPIC_CUSTOM_HEADERS", "x-api-key: 1", true],
      ["CLAUDE_CODE_EXTRA_BODY", "{}", true],
      ["GITHUB_PAT", "x", true],
      ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", "64000", false],
      ["CLAUDE_CODE_MAX_CONTEXT_TOKENS", "1048576", false],
      ["MAX_THINKING_TOKENS", "0", false],
      ["MAX_THINKING_TOKENS", "sk-pasted-here", true],
      ["ANTHROPIC_MODEL", "glm-4.7", false],
    ];
    for (const [name, value, secret] of table)
      test(`${name}=${value}: ${secret}`, () => expect(isSecret(name, value)).toBe(secret));
  });

  test.each([
    ["", ""],
    ["short-key", "***"],
    ["eleven-char", "***"],
    ["twelve-chars", "***hars"],
    ["sk-0123456789abcdef", "***cdef"],
    ["x-api-key: abcd", "***"],
    ['{"api_key":"abcd"}', "***"],
  ])("of %p a person sees %p", (secret, shown) => expect(maskSecret(secret)).toBe(shown));

  describe("secretsIn", () => {
    test("a number of tokens is not a secret", () => {
      expect(secretsIn({ MAX_THINKING_TOKENS: "640000", MY_TOKEN: "640000" })).toEqual(["640000", "640000"]);
      expect(secretsIn({ MAX_THINKING_TOKENS: "640000" })).toEqual([]);
    });
    const table: [name: string, block: Record<string, unknown>, text: string][] = [
      ["a key that is a number", { MY_KEY: 123456789 }, "123456789"],
      ["the value of a header", { ANTHROPIC_CUSTOM_HEADERS: "a: b\nx-api-key: of-the-gateway" }, "of-the-gateway"],
      [
        "the bare token of a header",
        { ANTHROPIC_CUSTOM_HEADERS: "Authorization: Bearer of-the-gateway" },
        "of-the-gateway",
      ],
      [
        "a field of the body that is as long as a key",
        { CLAUDE_CODE_EXTRA_BODY: '{"a":"of-twenty-characters"}' },
        "of-twenty-characters",
      ],
      ["a field of the body", { CLAUDE_CODE_EXTRA_BODY: '{"a":[{"api_key":"of-the-body"}]}' }, "of-the-body"],
      ["the password of a proxy", { HTTPS_PROXY: "http://me:pass%40word@proxy.test:80" }, "pass@word"],
      ["the user of a URL without a password", { BASE: "https://of-the-user@x.test" }, "of-the-user"],
      ["a parameter of a URL", { BASE: "https://x.test/?page=2&api_key=of-the-query" }, "of-the-query"],
    ];
    for (const [name, block, text] of table)
      test(`knows ${name}`, () => expect(createRedactor(secretsIn(block)).text(`<${text}>`)).toBe("<***>"));
    test("does not list other parts", () => {
      const block = {
        CLAUDE_CODE_EXTRA_BODY: '{"model":"glm-4.7","api_key":"of-the-body","note":"answer in one sentence"}',
        BASE: "https://x.test/?page=2",
      };
      const text = "glm-4.7 of x.test, page 2: answer in one sentence";
      expect(createRedactor(secretsIn(block)).text(text)).toBe(text);
    });
  });

  describe("a text", () => {
    const KEY = "sk-0123456789";
    const redactor = createRedactor([KEY, `${KEY}-and-more`, 'with"quote', "none"]);
    const table: [name: string, text: string, clean: string][] = [
      ["a known key", `use ${KEY}, or ${KEY}`, "use ***, or ***"],
      ["a known key in JSON", JSON.stringify({ a: 'with"quote' }), '{"a":"***"}'],
      ["a known key in a URL", "https://x.test/with%22quote/", "https://x.test/***/"],
      ["a key that overlaps another", "sk-0123456789-and-more", "***"],
      [
        "user and password",
        "git clone https://me:pass@x.test/y and http://tok@z",
        "git clone https://***@x.test/y and http://***@z",
      ],
      ["a password with an @", "https://me:p@ss@x.test/y@z", "https://***@x.test/y@z"],
      ["a URL in a URL", "https://a.test/https://me:pass@b.test/c", "https://a.test/https://***@b.test/c"],
      [
        "a token as long as a key",
        "Bearer lettersonlylettersonlyx, bearer lettersonlylettersonlyxy",
        "Bearer lettersonlylettersonlyx, bearer ***",
      ],
      [
        "a parameter as long as a key",
        "https://x.test/?a=twelve-chars&b=thirteen-char",
        "https://x.test/?a=twelve-chars&b=***",
      ],
      ["a parameter that is a key", "https://x.test/?page=2&token=abc&q=y#z", "https://x.test/?page=2&token=***&q=y#z"],
      ["a parameter that is long", "wss://x.test/?sig=0123456789abcdef)", "wss://x.test/?sig=***"],
      ["a query that is long", "https://x.test/?0123456789abcdef", "https://x.test/?***"],
      ["a bearer token", "Bearer 0123abc, basic dXNlcjpwYXNz", "Bearer ***, basic ***"],
      [
        "a header",
        'curl -H "Authorization: Bearer abc" -H x-api-key:a1b2',
        'curl -H "Authorization: Bearer ***" -H x-api-key:***',
      ],
      [
        "a header in JSON",
        '{"Authorization":"token abc","X-Api-Key": "a1"}',
        '{"Authorization":"token ***","X-Api-Key": "***"}',
      ],
    ];
    for (const [name, text, clean] of table) test(`hides ${name}`, () => expect(redactor.text(text)).toBe(clean));

    for (const text of [
      'Open "https://example.com/?page=2" and <https://example.com/?>',
      "Basic usage: send a bearer token. apiKey: string, none",
      "mail a@b.test, see //x, a:b@c, https://x.test/@scope/name",
    ])
      test(`leaves alone: ${text}`, () => expect(redactor.text(text)).toBe(text));

    test("withoutUrlSecrets hides every parameter", () =>
      expect(withoutUrlSecrets("https://me:p@x.test/a?page=2")).toBe("https://***@x.test/a?***"));

    test("property: text without secrets is unchanged", () => {
      const plain = fc
        .string({ unit: "grapheme" })
        .filter((text) => !/:\/\/|bearer|basic|authorization|api|token/i.test(text));
      fc.assert(fc.property(plain, (text) => expect(redactor.text(text)).toBe(text)));
    });

    test("property: no known secret survives, whatever surrounds it", () => {
      const secret = fc.string({ unit: "grapheme-ascii", minLength: 6 }).filter((text) => !text.includes("*"));
      const around = fc.string({ unit: "grapheme" });
      fc.assert(
        fc.property(fc.array(secret, { minLength: 1 }), fc.array(around, { minLength: 2 }), (secrets, texts) => {
          const dirty = texts.join(secrets[0]);
          const clean = createRedactor(secrets).text(dirty);
          for (const each of secrets) expect(clean).not.toContain(each);
        }),
      );
    });
  });

  describe("a redactor", () => {
    const redactor = createRedactor(["sk-0123456789"]);
    test("cleans every string in a value, but not field names", () => {
      const value = { "sk-0123456789": ['Open "https://me:p@x.test"', "sk-0123456789", 5, null, { a: "Bearer a1" }] };
      expect(redactor.value(value)).toEqual({
        "sk-0123456789": ['Open "https://***@x.test"', "***", 5, null, { a: "Bearer ***" }],
      });
    });
    test("can leave alone what only looks like a secret", () =>
      expect(redactor.known("Bearer a1 sk-0123456789")).toBe("Bearer a1 ***"));
  });

  describe("redaction takes linear time", () => {
    const SIZE = 1_000_000;
    const units = [
      "https://",
      "https://a",
      "a:a:a:",
      "a-a.a+",
      "/",
      "://",
      "@",
      "https://@",
      "?",
      "https://x/?a&",
      "Bearer ",
      "Bearer",
      " ",
      "Basic  ",
      "authorization: ",
      "api-key",
      "x-api-",
      'api_key" ',
      "token ",
      "aaaaaa",
      "\\u0061",
      '"',
    ];
    for (const unit of units)
      test(`many of ${JSON.stringify(unit)}`, () => {
        const started = performance.now();
        const text = unit.repeat(SIZE / unit.length);
        const redactor = createRedactor(["aaaaaaa", "sk-0123456789"]);
        for (const before of ["", "https://", "Bearer ", "authorization:"]) redactor.text(before + text);
        withoutUrlSecrets(text);
        // It takes a fraction of a second. A quadratic method would take minutes, or hours.
        expect(performance.now() - started).toBeLessThan(30_000);
      });
  });
});
