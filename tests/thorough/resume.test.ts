import { expect, test } from "bun:test";
import { CCC, newPlace, newSandbox, provider, settledIn } from "../harness.ts";
import { newScreen } from "../screen.ts";

const glmEnv = { ANTHROPIC_MODEL: "glm-5" };
const kimiEnv = { ANTHROPIC_MODEL: "kimi-k3[1m]" };

test("a session resumes on the provider that it last ran on, and Claude Code prints the command", async () => {
  await using place = await newPlace();
  await using glm = newSandbox();
  await using kimi = newSandbox();
  await settledIn(place);
  const providers = { glm: provider(glm, "glm-token", glmEnv), kimi: provider(kimi, "kimi-token", kimiEnv) };
  await place.config({ current_provider: "glm", providers });
  const asked = () => [glm, kimi].map(({ received }) => received.filter(({ role }) => role === "agent").length);

  await using screen = newScreen([CCC, "kimi"], { cwd: place.project, env: place.env });
  await screen.shows("❯");
  screen.type("hello");
  await screen.shows("❯ hello");
  screen.type("\r");
  await screen.shows("● ok");
  screen.type("/exit");
  await screen.shows("❯ /exit");
  screen.type("\r");
  await screen.shows("Resume this session with:");
  expect(await screen.exited).toBe(0);
  const [, id = ""] = /^ccc --resume (\S+)$/m.exec(screen.text()) ?? [];
  expect(asked()).toEqual([0, 1]);

  // A newer session on another provider. With -p, it does not decide what plain ccc uses.
  expect(await place.ccc(["glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  const resumed = await place.ccc(["--resume", id, "-p", "go on"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  const notice = "using kimi, which this session last ran on (for another provider: ccc <name>";
  expect(resumed.stderr).toStartWith(`ccc: ${notice} --resume ${id})\n`);
  expect(asked()).toEqual([1, 2]);

  // Now it is the newest one in this folder.
  const planned = await place.ccc(["--dry-run", "--json", "-c", "-p", "and on"]);
  expect(JSON.parse(planned.stdout)).toMatchObject({ provider: "kimi", notices: [`${notice} -c)`], remember: false });
  const continued = await place.ccc(["-c", "-p", "and on"]);
  expect(continued).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(asked()).toEqual([1, 3]);
  expect(await place.ccc(["-p", "something new"])).toMatchObject({ exitCode: 0 });
  expect(asked()).toEqual([1, 4]);
});
