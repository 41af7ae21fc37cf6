import fc from "fast-check";

/** A key that must not appear in any message. */
export const CANARY = "sk-canary-0123456789abcdef";

const TELLING = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "", " ", "\0", "\uFEFF", "\u2028", "\r\n"],
  ...["../../etc/passwd", "/dev/zero", "-", "--", "--settings", "$(id)", "`id`", "%s%n", "${HOME}", "\u001b]0;x\u0007"],
  ...['{"completed":true}', "[TASK_COMPLETED]", "</section>", "null", "NaN", "1e400", "-0"],
];

/** Any string: special names, lone surrogates, very long strings. */
export const oddString: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 40, arbitrary: fc.constantFrom(...TELLING) },
  { weight: 20, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 20, arbitrary: fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 8 }).map(fromUnits) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 20_000, 200_000).map((length) => 'x{"'.repeat(length / 3)) },
);

function fromUnits(units: readonly number[]): string {
  return String.fromCharCode(...units);
}

/** Any JSON value, including deeply nested ones and special keys. */
export const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 80, arbitrary: fc.letrec<{ value: unknown }>((tie) => ({ value: shallow(tie("value")) })).value },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_000 }).map((depth) => nested(depth, (inner) => [inner])) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2_000 }).map((depth) => nested(depth, (env) => ({ env }))) },
);

function shallow(inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { maxDepth: 4, depthIdentifier: "json", withCrossShrink: true },
    fc.oneof(oddString, fc.boolean(), fc.constantFrom(null, 0, -1, 1e308, 5, Number.MAX_SAFE_INTEGER), fc.double()),
    fc.array(inner, { maxLength: 4 }),
    fc.dictionary(oddString, inner, { maxKeys: 4 }),
  );
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/** An object in which most fields have a correct value, some a random one, and some are missing. */
export function flawed(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  const entries = Object.entries(fields).map(([name, usual]) => {
    const named = (each: unknown) => [name, each] as const;
    return fc.oneof(
      { weight: 20, arbitrary: usual.map(named) },
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: oddJson.map(named) },
    );
  });
  return fc.tuple(...entries).map((found) => Object.fromEntries(found.filter((each) => each !== undefined)));
}

/** Valid, damaged or very deep JSON text, or any other string. */
export function oddText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const json = value.map((each) => JSON.stringify(each) ?? "");
  return fc.oneof(
    { weight: 200, arbitrary: json },
    { weight: 50, arbitrary: fc.tuple(json, fc.nat(), oddString).map(([text, at, odd]) => damaged(text, at, odd)) },
    { weight: 25, arbitrary: oddString },
    { weight: 1, arbitrary: fc.constantFrom(20_000, 500_000).map((depth) => "[".repeat(depth)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(20_000, 200_000).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
    },
  );
}

/** Cuts the text off or inserts something. */
function damaged(text: string, at: number, odd: string): string {
  const place = at % (text.length + 1);
  return at % 2 === 0 ? text.slice(0, place) : text.slice(0, place) + odd + text.slice(place);
}
