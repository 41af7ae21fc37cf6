import { expect, test } from "bun:test";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { newPlace, newSandbox, provider } from "../harness.ts";

const ATTRIBUTION = "CLAUDE_CODE_ATTRIBUTION_HEADER";

/** The first system block of each request for a model. */
function beginnings({ received }: Pick<Sandbox, "received">): string[] {
  return received.map(({ body }) => (body.system as { text: string }[] | undefined)?.[0]?.text ?? "");
}

test.each(["user", "shell"])("the attribution header is sent if the %s asks for it", async (where) => {
  await using place = await newPlace();
  await using sandbox = newSandbox();
  const at = (here: string) => (where === here ? { [ATTRIBUTION]: "1" } : {});
  await place.config({ providers: { it: provider(sandbox, "t") } });
  await place.write(place.at(".claude/settings.json"), { env: at("user") });
  expect(await place.ccc(["it", "-p", "hi"], { env: at("shell") })).toMatchObject({ exitCode: 0 });
  expect(beginnings(sandbox)[0]).toStartWith("x-anthropic-billing-header");
});

test("conversations start with the same bytes, and the settings that ccc validate --deep suggests make Claude Code leave out what servers reject", async () => {
  /** Settings of one provider never affect the same field. */
  const table: Record<string, Record<string, string>> = {
    betas: { CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1", CLAUDE_CODE_MAX_OUTPUT_TOKENS: "8192" },
    thinking: { MAX_THINKING_TOKENS: "0", ENABLE_TOOL_SEARCH: "false" },
    effort: { CLAUDE_CODE_EFFORT_LEVEL: "auto", [ATTRIBUTION]: "1" },
    none: {},
  };
  const omitted: [name: string, text: string][] = [
    ["betas", "context_management"],
    ["betas", "32000"],
    ["thinking", "thinking"],
    ["thinking", "ToolSearch"],
    ["effort", "output_config"],
  ];
  await using place = await newPlace();
  await using sandbox = newSandbox();
  const providers = Object.entries(table).map(([name, env]) => [
    name,
    provider(sandbox, "t", { ANTHROPIC_MODEL: name, ...env }),
  ]);
  await place.config({ providers: Object.fromEntries(providers) });
  const runs = await Promise.all(Object.keys(table).map((name) => place.ccc([name, "-p", `a prompt about ${name}`])));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);

  const received = (name: string) => sandbox.received.filter(({ body }) => body.model === name);
  const sentBy = (name: string) => {
    const { system, messages, tools = [], model, ...fields } = received(name)[0]?.body ?? {};
    return JSON.stringify({ fields, tools: tools.map((tool) => tool.name) });
  };
  for (const [name, text] of omitted) {
    expect(sentBy("none")).toContain(text);
    expect([name, sentBy(name)]).toEqual([name, expect.not.stringContaining(text)]);
  }
  // So that the server can reuse its cache.
  const [first] = beginnings({ received: received("none") });
  expect(first).toStartWith("You are");
  for (const name of ["betas", "thinking"]) expect(beginnings({ received: received(name) })[0]).toBe(first ?? "");
  // But the provider's own value wins.
  expect(beginnings({ received: received("effort") })[0]).toStartWith("x-anthropic-billing-header");
});
