import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { CLAUDE, inTurn, type Place } from "../../harness.ts";
import { DONE, supervisedPlace } from "../../supervised.ts";

/** Plain claude is now reviewed by the hook of `ccc use`. */
const supervise = (place: Place) => place.ccc(["use", "--supervisor", "glm"]);
const claude = (place: Place, env = {}) => place.ccc(["-p", "hi"], { ccc: CLAUDE, env });
const SCRIPT = inTurn({ agent: [{ say: "ok" }], reviewer: [DONE] });

test("a project cannot turn the hook of `ccc use` off with ccc's own markers", async () => {
  await using place = await supervisedPlace(SCRIPT);
  await supervise(place);
  // Either would be enough.
  const env = { CCC_LAUNCH: "1", CCC_SUPERVISOR_HOOK: "1" };
  await place.write(join(place.project, ".claude/settings.json"), { env });
  expect(await claude(place)).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(place.reviews()).toHaveLength(1);
});

test("ccc's genuine markers work: a launch is reviewed at most once, a reviewer never", async () => {
  await using place = await supervisedPlace(({ role, body }, index) => {
    if (role === "agent" && JSON.stringify(body.messages).includes("a nested session")) return { say: "nested" };
    // The first review starts another claude, as a project's tests may.
    if (role === "reviewer" && index === 0) return { use: "Bash", input: { command: "./gradlew test" } };
    return role === "reviewer" ? DONE : { say: "ok" };
  });
  const test = "env -u CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST claude -p 'a nested session' && touch nested-ran";
  await place.write(join(place.project, "gradlew"), `#!/bin/sh\n${test}\n`);
  await chmod(join(place.project, "gradlew"), 0o755);
  await supervise(place);
  expect(await place.ccc(["glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  expect(place.reviews()).toHaveLength(0);
  // A plain claude started inside a launch counts as the user's own again.
  expect(await claude(place, { CCC_LAUNCH: "1" })).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(await Bun.file(join(place.project, "nested-ran")).exists()).toBe(true);
  // One request, and one after its tool; the claude it started was not reviewed.
  expect(place.reviews()).toHaveLength(2);
  expect(await place.ccc(["--supervisor", "glm", "-p", "hi"])).toMatchObject({ exitCode: 0 });
  expect(place.reviews()).toHaveLength(3);
});

test("what can still turn it off is reported", async () => {
  await using place = await supervisedPlace(SCRIPT);
  const file = join(place.project, ".claude/settings.json");
  await place.write(file, { disableAllHooks: true });
  const used = await supervise(place);
  expect(used.stderr).toContain(`${file} disables hooks: plain claude is not reviewed in this folder`);
  expect(used.stderr).toContain("a project's settings can disable these reviews, but not those of `ccc --supervisor`");
  await claude(place);
  // supervisor.test.ts shows that a launch is reviewed in such a project.
  expect(place.reviews()).toHaveLength(0);
});
