import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { CCC, inTurn, provider } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, SAYS_DONE, supervisedPlace } from "../supervised.ts";

test("a session in a terminal names the command for another provider, continues by itself when a usage limit has reset, twice in a row, and is then reviewed", async () => {
  const then = inTurn({ agent: [{ say: "GONE ON" }], reviewer: [DONE] });
  const script: Script = (received, index) => {
    const end = new Date(Date.now() + (index === 0 ? 6_000 : 2_500)).toISOString();
    return received.role === "agent" && index < 2
      ? { fail: 429, message: `[1308][Usage limit reached for 5 hour. Your limit will reset at ${end}]` }
      : then(received, index);
  };
  await using place = await supervisedPlace(script);
  const glm = provider(place.sandbox, "glm-token");
  await place.config({ fallback: ["kimi"], providers: { glm, kimi: provider(place.sandbox, "kimi-token") } });
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
  await screen.shows("❯ ");
  await screen.submit("THE TASK");
  await screen.shows(/Usage limit reached/);
  await screen.shows(/waiting for the limit until \d\d:\d\d · ccc kimi --resume [0-9a-f-]{36}/);
  await screen.shows("the usage limit has reset");
  await screen.shows("GONE ON");
  await screen.shows(SAYS_DONE);
  expect(place.turns()[2]).toMatch(/THE TASK.*The usage limit has reset\. Continue where you left off\./);
  expect(place.reviews()[0]).toContain("1. THE TASK\\n</section-");
  expect(JSON.parse((await place.record())["limit.json"] ?? "")).toMatchObject({ waits: 2 });
  expect(await readdir(place.at(".claude/ccc/waits"))).toEqual([]);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);
});
