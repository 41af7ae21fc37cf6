import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { CCC, newPlace, type Place } from "../harness.ts";

/** Answers of the guard to an event that arrives in pieces, as through a slow pipe. */
async function ask(place: Place, tool_name: string, tool_input: object, pieces = 1): Promise<string> {
  const event = new TextEncoder().encode(JSON.stringify({ tool_name, tool_input, cwd: place.project }));
  const guard = Bun.spawn([CCC, "supervisor-guard"], {
    env: { HOME: place.home, PATH: process.env.PATH, CCC_REVIEW_FOLDERS: JSON.stringify([place.project]) },
    stdin: "pipe",
    stdout: "pipe",
  });
  const size = Math.ceil(event.length / pieces);
  for (let at = 0; at < event.length; at += size) {
    guard.stdin.write(event.subarray(at, at + size));
    await guard.stdin.flush();
  }
  await guard.stdin.end();
  const { hookSpecificOutput: answer } = JSON.parse(await guard.stdout.text());
  expect(await guard.exited).toBe(0);
  return answer.permissionDecision === "allow" ? "allowed" : answer.permissionDecisionReason;
}

test("the guard reads events of any length, from a pipe, and answers in full", async () => {
  await using place = await newPlace();
  const file = join(place.project, "文🙂.txt");
  await place.write(file, "x");
  await symlink("/etc/passwd", join(place.project, "notes"));
  expect(await ask(place, "Read", { file_path: file }, 200)).toBe("allowed");
  expect(await ask(place, "Read", { file_path: join(place.project, "notes") }, 3)).toContain("project: /etc/passwd");
  expect(await ask(place, "Read", { file_path: file, more: "文".repeat(1_000_000) }, 10)).toBe("allowed");
  const path = `/${"文".repeat(500_000)}`;
  expect(await ask(place, "Read", { file_path: path })).toBe(`not part of the project: ${path}`);
  expect(await ask(place, "Bash", { command: `cat ${"x".repeat(300_000)}` })).toBe("allowed");
});
