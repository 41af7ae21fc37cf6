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
    test(`shows a failed check, a missed criterion and a done with the ${engine} engine, and leaves nothing behind`, async () => {
      await using place = await newPlace();
      await lived(place);
      const before = await fingerprint(place);
      const beside = await readdir(place.env.TMPDIR ?? "");

      const result = await place.ccc(["demo", "--engine", engine], { env: { ANTHROPIC_API_KEY: "shell" } });

      expect(result).toMatchObject({ exitCode: 0, stderr: "" });
      const lines = result.stdout.split("\n").map((line) => line.trim());
      const told = lines.filter((line) => /^(agent|reviewer|ccc |sum\.sh is|✓|Done)/.test(line));
      expect(told).toEqual([
        "agent      writes sum.sh",
        'sum.sh is now: echo "$(($1 - $2))"',
        'agent      says: "Done: sum.sh prints the sum."',
        "ccc        check failed, and goes back to the agent; no model was asked",
        "agent      fixes sum.sh",
        'sum.sh is now: echo "$(($1 + $2))"',
        'agent      says: "It adds now."',
        "ccc        check passed; now the reviewer is asked",
        "reviewer   reads sum.sh itself",
        "reviewer   not done, 2 of 3 met. C2, it prints a usage line if it gets fewer: sum.sh has no such line",
        "ccc        tells the agent that C2 is not met",
        "agent      adds the usage line",
        'sum.sh is now: [ $# -eq 2 ] || { echo "usage: sum.sh A B" >&2; exit 2; }',
        'agent      says: "Done, with a usage line."',
        "ccc        check passed; now the reviewer is asked",
        "reviewer   reads sum.sh itself",
        "reviewer   done: It adds, and prints a usage line.",
        "ccc        has that confirmed by a fresh reviewer, without the conversation",
        "reviewer   reads sum.sh itself",
        "reviewer   done, confirmed: I have read it: it adds, and has a usage line.",
        "Done: 3 of 3 met after 3 reviews, one of them a failed check. What the supervisor has on record:",
        "✓ C1 met: sum.sh prints the sum of two arguments (sum.sh has $1 + $2, and the check saw 5)",
        "✓ C2 met: it prints a usage line if it gets fewer (line 1 of sum.sh)",
        "✓ C3 met: nothing but sum.sh was written (sum.sh is the only file)",
      ]);
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
