import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { savedSession, savedSessions } from "../../../src/claude/sessions.ts";
import { diskFiles } from "../../../src/os/disk.ts";

const home = mkdtempSync(join(tmpdir(), "ccc-sessions-"));
afterAll(() => rmSync(home, { recursive: true }));

const files = diskFiles(process.pid);
const place = (cwd: string) => ({ env: { HOME: home }, cwd, platform: "linux" as const });
const id = (digit: number) => `0961ad8d-cff1-4011-8ad0-${String(digit).repeat(12)}`;
const transcript = (folder: string, name: string) => join(home, ".claude/projects", folder, `${name}.jsonl`);

function save(folder: string, name: string, at: number) {
  mkdirSync(dirname(transcript(folder, name)), { recursive: true });
  writeFileSync(transcript(folder, name), "{}\n");
  utimesSync(transcript(folder, name), at, at);
}

save("-w-it-s-a-p-th", id(1), 100);
save("-w-it-s-a-p-th", id(2), 300);
save("-w-it-s-a-p-th", id(3), 200);
save("-w-it-s-a-p-th", "agent-123", 400);
save("-other", id(4), 500);
const long = `/${"x".repeat(300)}`;
save(`-${"x".repeat(199)}-1abc`, id(5), 1);
const longest = `/${"y".repeat(199)}`;
save(`-${"y".repeat(199)}`, id(7), 1);

test("the sessions of a folder, the newest first", () => {
  const ids = savedSessions(files, place("/w/it's a päth")).map((session) => session.id);
  expect(ids).toEqual([id(2), id(3), id(1)]);
  expect(savedSessions(files, place(long))).toHaveLength(1);
  expect(savedSessions(files, place(longest))).toHaveLength(1);
  expect(savedSessions(files, place("/nowhere"))).toEqual([]);
});

test("a session by its id, of another folder too", () => {
  const here = place("/w/it's a päth");
  const found = (name: string) => savedSession(files, here, name)?.transcript;
  expect(found(id(1))).toBe(transcript("-w-it-s-a-p-th", id(1)));
  expect(found(id(4))).toBe(transcript("-other", id(4)));
  expect(found(id(6))).toBeUndefined();
});

test("an invalid id finds nothing", () => {
  save("-", "x", 1);
  for (const name of ["x", "../-/x", "", "a title"]) expect(savedSession(files, place("/"), name)).toBeUndefined();
});
