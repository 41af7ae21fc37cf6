import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Check } from "../../src/commands/doctor/live.ts";
import { TOKEN, type WindowsPlace, windowsPlace } from "./windows-place.ts";
import { IS_PINNED } from "./windows-programs.ts";

const ok = () => ({ say: "hello" });

test("doctor finds everything in place, and runs a supervised session", async () => {
  const script = () => ({ say: "not asked: doctor has a sandbox of its own" });
  await using place = await windowsPlace(script);

  const { stdout, exitCode } = await place.ccc(["doctor", "--json"]);

  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  // The home of this test is in a temporary folder, and the newest Claude Code may be an untested version.
  const unsure = IS_PINNED ? ["ccc path"] : ["ccc path", "claude version"];
  const wrong = checks.filter(({ name, status }) => !unsure.includes(name) && status !== "ok");
  expect(wrong).toEqual([]);
  expect(checks.filter(({ name }) => name.startsWith("live: "))).toHaveLength(4);
  expect(exitCode).toBe(0);
});

const add = (place: WindowsPlace, name: string) =>
  place.ccc(["provider", "add", name, "--base-url", "https://example.test/api", "--token-stdin"], {
    stdin: `key-of-${name}`,
  });

test("providers are added by several processes at once, none is lost, and the list masks their keys", async () => {
  await using place = await windowsPlace(ok);
  const names = ["kimi", "second", "third", "fourth", "fifth", "sixth"];

  const added = await Promise.all(names.map((name) => add(place, name)));

  expect(added.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  const config = JSON.parse(readFileSync(place.at(".claude/ccc.json"), "utf8"));
  expect(Object.keys(config.providers).sort()).toEqual(["glm", ...names].sort());
  expect(config.providers.kimi.env.ANTHROPIC_AUTH_TOKEN).toBe("key-of-kimi");

  const list = await place.ccc(["provider", "list"]);
  expect(list).toMatchObject({ exitCode: 0, stderr: "" });
  for (const name of ["glm", ...names]) expect(list.stdout).toContain(name);
  const shown = await place.ccc(["provider", "show", "glm"]);
  expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
  expect(shown.stdout).toContain(` ${place.windowsAt(".claude", "ccc.json")}\n`);
  expect(list.stdout + shown.stdout).not.toMatch(new RegExp(`${TOKEN}|key-of-`));
});

test("the lock of a process that is gone is taken over", async () => {
  await using place = await windowsPlace(ok);
  const lock = place.at(".claude/ccc.json.lock");
  await place.write(lock, "99999999");
  expect(await add(place, "kimi")).toMatchObject({ exitCode: 0 });
  expect(await Bun.file(lock).exists()).toBe(false);
});

test("a file that is read-only is reported, and stays as it is", async () => {
  await using place = await windowsPlace(ok);
  const file = place.at(".claude/ccc.json");
  const before = readFileSync(file, "utf8");
  await place.ccc(["+R", place.windowsAt(".claude", "ccc.json")], { program: "attrib.exe" });

  const result = await add(place, "kimi");

  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain(`${place.windowsAt(".claude", "ccc.json")} is read-only`);
  expect(readFileSync(file, "utf8")).toBe(before);
});
