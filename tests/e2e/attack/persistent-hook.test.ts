import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { CLAUDE, inTurn, newPlace, newSandbox, type Place, provider, settledIn } from "../../harness.ts";

/** Plain claude on a provider, reviewed by the hook of `ccc use`. */
async function supervised(place: Place, server: { url: string }) {
  await settledIn(place);
  await place.config({ providers: { glm: provider(server, "glm-token") } });
  return place.ccc(["use", "--supervisor", "glm"]);
}

const reviews = (server: ReturnType<typeof newSandbox>) => server.received.filter(({ role }) => role === "reviewer");
const claude = (place: Place) => place.ccc(["-p", "hi"], { ccc: CLAUDE });
const SCRIPT = inTurn({ agent: [{ say: "ok" }], reviewer: [{ verdict: { completed: true, feedback: "fine" } }] });

describe("a project cannot turn the hook of `ccc use` off with ccc's own marks", () => {
  test.each(["CCC_LAUNCH", "CCC_SUPERVISOR_HOOK"])("%s", async (name) => {
    await using place = await newPlace();
    await using server = newSandbox(SCRIPT);
    await supervised(place, server);
    await place.write(join(place.project, ".claude/settings.json"), { env: { [name]: "1" } });
    expect(await claude(place)).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(reviews(server)).toHaveLength(1);
  });
});

test("ccc's genuine marks work: a launch is reviewed at most once, a reviewer never", async () => {
  await using place = await newPlace();
  await using server = newSandbox(({ role, body }, index) => {
    if (role === "agent" && JSON.stringify(body.messages).includes("a nested session")) return { say: "nested" };
    // The first review starts another claude, as a project's tests may.
    if (role === "reviewer" && index === 0) return { use: "Bash", input: { command: "./gradlew test" } };
    return role === "reviewer" ? { verdict: { completed: true, feedback: "fine" } } : { say: "ok" };
  });
  const test = "env -u CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST claude -p 'a nested session' && touch nested-ran";
  await place.write(join(place.project, "gradlew"), `#!/bin/sh\n${test}\n`);
  await chmod(join(place.project, "gradlew"), 0o755);
  await supervised(place, server);
  expect(await place.ccc(["glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  expect(reviews(server)).toHaveLength(0);
  expect(await claude(place)).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(await Bun.file(join(place.project, "nested-ran")).exists()).toBe(true);
  // One request, and one after its tool; the claude it started was not reviewed.
  expect(reviews(server)).toHaveLength(2);
  expect(await place.ccc(["--supervisor", "glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  expect(reviews(server)).toHaveLength(3);
});

test("what can still turn it off is reported", async () => {
  await using place = await newPlace();
  await using server = newSandbox(SCRIPT);
  const file = join(place.project, ".claude/settings.json");
  await place.write(file, { disableAllHooks: true });
  const used = await supervised(place, server);
  expect(used.stderr).toContain(`${file} disables hooks: plain claude is not reviewed in this folder`);
  expect(used.stderr).toContain("a project's settings can disable these reviews, but not those of `ccc --supervisor`");
  await claude(place);
  expect(reviews(server)).toHaveLength(0);
  // The same project, with a launch.
  expect(await place.ccc(["--supervisor", "glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  expect(reviews(server)).toHaveLength(1);
});
