import { expect, test } from "bun:test";
import { lastingPath } from "../../../src/launch/lasting-path.ts";
import { fakeWorld, memoryFiles } from "../fakes.ts";

/** `/opt/1.2/ccc` is the program, and `links` point to it. */
function found(links: string[], parts: Parameters<typeof fakeWorld>[0] = {}) {
  const memory = memoryFiles({ "/opt/1.2/ccc": "", "/old/ccc": "" });
  const files = {
    ...memory,
    identify: (path: string) => memory.identify(links.includes(path) ? "/opt/1.2/ccc" : path),
  };
  const env = { PATH: "/old:/bin:/usr/bin" };
  return lastingPath(fakeWorld({ files, self: "/opt/1.2/ccc", env, ...parts }).world);
}

test("settings that outlive an upgrade name the link on PATH", () =>
  expect(found(["/bin/ccc", "/usr/bin/ccc"])).toBe("/bin/ccc"));
test("another ccc on PATH is not this one", () => expect(found([])).toBe("/opt/1.2/ccc"));
test("on Windows there are no links", () =>
  expect(found(["/bin/ccc"], { platform: "win32", env: { PATH: "/bin" } })).toBe("/opt/1.2/ccc"));
