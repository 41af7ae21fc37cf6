import { expect, test } from "bun:test";
import { readGitKeys } from "../../../../src/supervisor/review/git-config.ts";
import { fakeWorld } from "../../fakes.ts";

/** Repositories at /a and /b, of which /a has submodules. */
async function keys(folders: string[], lines: (args: readonly string[]) => string[]) {
  const asked: string[] = [];
  const { world } = fakeWorld({
    content: { "/a/.git": null, "/a/.gitmodules": "", "/b/.git": null, "/b/.gitmodules": null },
    run: async ({ program, cwd, onLine }) => {
      asked.push(`${cwd}: ${program.args.includes("--file") ? "modules" : "config"}`);
      lines(program.args).some((line) => onLine(new TextEncoder().encode(line)));
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
  });
  return { asked, found: await readGitKeys(world, folders, {}) };
}

test("the keys of each repository are read once, wherever in it the folder is, and those of its submodules", async () => {
  const { asked, found } = await keys(["/a/src/deep", "/a", "/b", "/elsewhere"], (args) =>
    args.includes("--file") ? ["submodule.x.path", "submodule.x.url"] : ["local\tcore.fsmonitor", "local\tcore.pager"],
  );
  expect(asked).toEqual(["/a: config", "/a: modules", "/b: config"]);
  expect(found).toEqual(expect.arrayContaining(["submodule.x.path", "submodule.x.url"]));
  expect(new Set(found).size).toBe(found.length);
});

test("a repository counts, however deep in it the folder is", async () => {
  const { asked } = await keys(["/b/src/deep"], () => []);
  expect(asked).toEqual(["/b: config"]);
});

test("without git there are no keys", async () => {
  const { world } = fakeWorld({ content: { "/a/.git": null }, run: () => Promise.reject(new Error("no git")) });
  expect(await readGitKeys(world, ["/a"], {})).toEqual([]);
});
