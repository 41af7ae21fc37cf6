import { describe, expect, test } from "bun:test";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { inTurn, newPlace, newSandbox, provider } from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

const ATTRIBUTION = "CLAUDE_CODE_ATTRIBUTION_HEADER";

/** The first system block of each request for a model. */
function beginnings({ received }: Pick<Sandbox, "received">): string[] {
  return received.map(({ body }) => (body.system as { text: string }[] | undefined)?.[0]?.text ?? "");
}

describe("on a server that is not Anthropic's", () => {
  test("two conversations begin alike, so that the server can reuse its cache", async () => {
    await using place = await newPlace();
    await using sandbox = newSandbox();
    await place.config({ providers: { it: provider(sandbox, "t") } });
    for (const prompt of ["hi", "what does this project do?"]) {
      expect(await place.ccc(["it", "-p", prompt])).toMatchObject({ exitCode: 0 });
    }
    const [first, second] = beginnings(sandbox);
    expect(first).toStartWith("You are");
    expect(second).toBe(first ?? "");
  });

  test.each(["provider", "user", "shell"])("the value of the %s wins", async (where) => {
    await using place = await newPlace();
    await using sandbox = newSandbox();
    const own = { [ATTRIBUTION]: "1" };
    const at = (here: string) => (where === here ? own : {});
    await place.config({ providers: { it: provider(sandbox, "t", at("provider")) } });
    await place.write(place.at(".claude/settings.json"), { env: at("user") });
    expect(await place.ccc(["it", "-p", "hi"], { env: at("shell") })).toMatchObject({ exitCode: 0 });
    expect(beginnings(sandbox)[0]).toStartWith("x-anthropic-billing-header");
  });

  test("the reviewer's requests begin like the agent's", async () => {
    await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
    expect(await place.ccc(["--supervisor", "glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
    expect(new Set(place.sandbox.received.map(({ role }) => role))).toContain("reviewer");
    for (const beginning of beginnings(place.sandbox)) expect(beginning).toStartWith("You are");
  });
});

test("the settings that ccc validate --deep suggests make Claude Code leave out what servers reject", async () => {
  const table: [setting: string, omitted: string][] = [
    ["CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1", "context_management"],
    ["MAX_THINKING_TOKENS=0", "thinking"],
    ["CLAUDE_CODE_EFFORT_LEVEL=auto", "output_config"],
    ["CLAUDE_CODE_MAX_OUTPUT_TOKENS=8192", "32000"],
    ["ENABLE_TOOL_SEARCH=false", "ToolSearch"],
  ];
  await using place = await newPlace();
  await using sandbox = newSandbox();
  const providers = ["none=", ...table.map(([setting]) => setting)].map((setting) => {
    const [name = "", value = ""] = setting.split("=");
    return [name, provider(sandbox, "t", { ANTHROPIC_MODEL: name, [name]: value })] as const;
  });
  await place.config({ providers: Object.fromEntries(providers) });
  const runs = await Promise.all(providers.map(([name]) => place.ccc([name, "-p", "hi"])));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(providers.map(() => 0));
  const sentBy = (name: string) => {
    const {
      system,
      messages,
      tools = [],
      model,
      ...fields
    } = sandbox.received.find(({ body }) => body.model === name)?.body ?? {};
    return JSON.stringify({ fields, tools: tools.map((tool) => tool.name) });
  };
  for (const [setting, omitted] of table) {
    expect(sentBy("none")).toContain(omitted);
    expect(sentBy(setting.split("=")[0] ?? "")).not.toContain(omitted);
  }
});
