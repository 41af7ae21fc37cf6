import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unlessIdle } from "../../src/idle.ts";

test("an idle hook handles the events of sessions that were switched, and of no others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  await mkdir(join(folder, "ccc/sessions/switched"), { recursive: true });
  await writeFile(join(folder, "ccc/sessions/switched/switch.json"), "{}");
  const args = ["supervisor-hook", "--idle", "--config-dir", folder, "--announce"];
  const handled = (session: string) => {
    const text = JSON.stringify({ hook_event_name: "Stop", session_id: session });
    return unlessIdle(text, args, process) === text;
  };
  expect([handled("switched"), handled("other")]).toEqual([true, false]);
  await rm(folder, { recursive: true });
});
