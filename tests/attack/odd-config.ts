import fc from "fast-check";
import { CANARY, flawed, oddJson, oddString } from "./odd.ts";

/** A flawed ccc.json with secrets in secret fields. `elsewhere` generates the other strings, which may be shown. */
export function configWith(elsewhere: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const settings = flawed({
    env: environment(elsewhere),
    permissions: oddJson,
    hooks: oddJson,
    model: elsewhere,
    includeCoAuthoredBy: fc.boolean(),
  });
  return flawed({
    settings,
    providers: fc.oneof(
      { weight: 9, arbitrary: fc.record({ glm: settings, kimi: settings }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.oneof(fc.constantFrom("glm", "kimi"), oddString), settings, { maxKeys: 3 }),
      },
    ),
    current_provider: fc.constantFrom("glm", "kimi"),
    claude_args: fc.array(oddString, { maxLength: 3 }),
    supervisor: flawed({
      enabled: fc.boolean(),
      max_iterations: fc.integer({ min: 1, max: 20 }),
      provider: fc.constantFrom("glm", "kimi"),
      model: elsewhere,
    }),
  });
}

function environment(elsewhere: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return flawed({
    ANTHROPIC_BASE_URL: fc.constantFrom(
      "https://api.example.com/anthropic",
      `https://user:${CANARY}@api.example.com/`,
      `https://api.example.com/?key=${CANARY}`,
    ),
    ANTHROPIC_AUTH_TOKEN: fc.constantFrom(
      CANARY,
      "env:MY_KEY",
      `cmd:curl -H 'Authorization: Bearer ${CANARY}' https://example.com`,
      `cmd:curl -H "x-api-key: ${CANARY}" https://example.com`,
    ),
    ANTHROPIC_API_KEY: fc.constant(CANARY),
    ANTHROPIC_CUSTOM_HEADERS: fc.constantFrom(`x-key: ${CANARY}`, `a: b\nauthorization: Bearer ${CANARY}`),
    CLAUDE_CODE_EXTRA_BODY: fc.constant(JSON.stringify({ key: CANARY })),
    MINE: elsewhere,
  });
}
