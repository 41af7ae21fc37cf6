import { describe, expect, test } from "bun:test";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { ownGitBytes } from "../../../../src/supervisor/baseline/own-git.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const MOST_BYTES = 32_000_000;

interface Fake {
  readonly output?: readonly Uint8Array[];
  readonly platform?: World["platform"];
  readonly deadline?: number;
}

/** Runs git where it prints this. `asked` is what it was started with, and `isCut` whether it was told to end. */
async function git({ output = [], platform = "linux", deadline = NOW + 1 }: Fake) {
  const asked: ChildRequest[] = [];
  let isCut = false;
  const run: World["run"] = async (request) => {
    asked.push(request);
    isCut = output.some((chunk) => request.onLine?.(chunk));
    return { ending: isCut ? "stopped" : "exited", exitCode: 0, stderr: "" };
  };
  const program = platform === "win32" ? "C:\\bin/git.exe" : "/bin/git";
  const { world } = fakeWorld({ content: { [program]: "git" }, platform, run, now: () => new Date(NOW) });
  const repository = { top: "/p", gitDir: "/p/.git", common: "/p/.git", format: "sha1", id: "1" } as const;
  const env = { PATH: platform === "win32" ? "C:\\bin" : "/bin" };
  const place = { repository, store: "/s", index: "/s/index", objects: "/s/parts/1/objects", env, deadline };
  const result = await ownGitBytes(world, place)(["ls-files"]).catch((error: Error) => error.message);
  return { result, asked, isCut };
}

describe("git as ccc runs it", () => {
  test("may print 32 MB, all of which counts, and is ended when it prints more", async () => {
    const most = new Uint8Array(MOST_BYTES - 1);
    const { result, isCut } = await git({ output: [most, new Uint8Array([7])] });
    expect([result.length, result.at(-1), isCut]).toEqual([MOST_BYTES, 7, false]);
    expect(await git({ output: [most, new Uint8Array(2)] })).toMatchObject({ result: "too many files", isCut: true });
  });

  test("is not started when there is no time left", async () => {
    expect(await git({ deadline: NOW })).toMatchObject({ result: "too slow", asked: [] });
    expect((await git({ deadline: NOW + 1 })).asked).toMatchObject([{ timeoutMs: 1 }]);
  });

  test.each([
    ["linux", '"/s/objects":"/p/.git/objects"'],
    ["win32", '"/s/objects";"/p/.git/objects"'],
  ] as const)("finds the objects of the repository and of earlier prompts on %s", async (platform, folders) => {
    const { asked } = await git({ platform });
    expect(asked[0]?.program.env).toMatchObject({ GIT_ALTERNATE_OBJECT_DIRECTORIES: folders });
  });
});
