import { expect, test } from "bun:test";
import { transcriptsSince } from "../../../src/claude/recent-transcripts.ts";
import { memoryFiles } from "../fakes.ts";

const PROJECTS = "/h/.claude/projects";
const PLACE = { env: { HOME: "/h" }, platform: "linux" } as const;

/** The sessions that are found, in projects whose files were modified at these times. */
function found(times: Record<string, number>, since: number) {
  const folders = Object.keys(times).map((path) => [`${PROJECTS}/${path.split("/")[0]}`, null]);
  const paths = Object.keys(times).map((path) => [`${PROJECTS}/${path}`, ""]);
  const files = memoryFiles(Object.fromEntries([...folders, ...paths]));
  const modified = (path: string) => times[path.slice(PROJECTS.length + 1)];
  return transcriptsSince({ ...files, modified }, PLACE, since);
}

test("the transcripts of all projects, each with its session", () =>
  expect(found({ "-p/one.jsonl": 5, "-q/two.jsonl": 5 }, 5)).toEqual([
    { session: "one", path: `${PROJECTS}/-p/one.jsonl` },
    { session: "two", path: `${PROJECTS}/-q/two.jsonl` },
  ]));

test("modified at that time or later", () =>
  expect(found({ "-p/a.jsonl": 4, "-p/b.jsonl": 5, "-p/c.jsonl": 6 }, 5).map(({ session }) => session)).toEqual([
    "b",
    "c",
  ]));

test("no delegated agents, and no other files", () =>
  expect(found({ "-p/agent-1.jsonl": 5, "-p/notes.md": 5, "-p/memory": 5 }, 0)).toEqual([]));

test("none without a folder of projects", () => expect(transcriptsSince(memoryFiles(), PLACE, 0)).toEqual([]));

test("none in a file beside the projects", () =>
  expect(transcriptsSince(memoryFiles({ [`${PROJECTS}/a.jsonl`]: "" }), PLACE, 0)).toEqual([]));
