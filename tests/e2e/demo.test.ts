import { describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CCC, fingerprint, newPlace, type Place } from "../harness.ts";
import { newScreen } from "../screen.ts";

async function lived(place: Place): Promise<void> {
  await place.config({
    providers: { glm: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "t" } } },
  });
  await place.write(place.at(".claude/settings.json"), {
    env: { ANTHROPIC_API_KEY: "mine" },
    apiKeyHelper: "echo mine",
  });
  await place.write(join(place.project, "SUPERVISOR.md"), "my own");
}

describe("ccc demo", () => {
  for (const engine of ["hook", "loop"]) {
    test(`shows two reviews and a fixed file with the ${engine} engine, and leaves nothing behind`, async () => {
      await using place = await newPlace();
      await lived(place);
      const before = await fingerprint(place);
      const beside = await readdir(place.env.TMPDIR ?? "");

      const result = await place.ccc(["demo", "--engine", engine], { env: { ANTHROPIC_API_KEY: "shell" } });

      expect(result).toMatchObject({ exitCode: 0, stderr: "" });
      const lines = result.stdout.split("\n").map((line) => line.trim());
      const told = lines.filter((line) => /^(agent|reviewer|sum\.sh is)/.test(line));
      expect(told).toEqual([
        "agent      writes sum.sh",
        'sum.sh is now: echo "$(($1 - $2))"',
        'agent      says: "Done: sum.sh prints the sum."',
        "reviewer   reads sum.sh itself",
        expect.stringContaining("reviewer   not done: sum.sh subtracts"),
        "agent      fixes sum.sh",
        'sum.sh is now: echo "$(($1 + $2))"',
        "agent      runs sh sum.sh 2 3",
        'agent      says: "It adds now: 2 and 3 give 5."',
        "reviewer   reads sum.sh itself",
        "reviewer   done: sum.sh adds; the run printed 5.",
      ]);
      expect(result.stdout).toContain('sum.sh at the end:         echo "$(($1 + $2))"');
      expect(result.stdout).toContain('Its state:                 {"count":2,');
      expect(await fingerprint(place)).toBe(before);
      expect(await readdir(place.env.TMPDIR ?? "")).toEqual(beside);
    });
  }

  test("shows its steps one by one on a terminal", async () => {
    await using place = await newPlace();
    await using screen = newScreen([CCC, "demo"], { cwd: place.project, env: place.env });
    await screen.shows("agent      writes sum.sh");
    expect(screen.text()).not.toContain("reviewer   done");
    screen.type("\u0003");
    expect(await screen.exited).not.toBe(0);
  });

  test("says how to install claude if it is missing", async () => {
    await using place = await newPlace();
    await rm(join(place.bin, "claude"));
    const result = await place.ccc(["demo"]);
    expect(result).toMatchObject({ exitCode: 127, stdout: "" });
    expect(result.stderr).toContain("npm install -g @anthropic-ai/claude-code");
  });

  test("an unknown engine is a usage error", async () => {
    await using place = await newPlace();
    expect(await place.ccc(["demo", "--engine", "x"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
