import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyProject } from "../../mutants/tree-copy.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "copy-test-")));
const project = join(place, "project");
beforeAll(() => {
  mkdirSync(join(project, "src"), { recursive: true });
  mkdirSync(join(project, "node_modules"));
  writeFileSync(join(project, "src/new.ts"), "new");
  writeFileSync(join(project, "ignored"), "");
  writeFileSync(join(project, ".gitignore"), "node_modules\nignored\n");
  Bun.spawnSync(["git", "init", "-q"], { cwd: project, env: { ...process.env, GIT_DIR: undefined } });
});
afterAll(() => rmSync(place, { recursive: true }));

test("a copy has what git does not ignore, and the packages; the project is not touched", () => {
  using copies = copyProject(project, 2);
  expect(copies.trees).toHaveLength(2);
  for (const tree of copies.trees) {
    expect(readdirSync(tree).sort()).toEqual([".gitignore", ".t", "node_modules", "src"]);
    writeFileSync(join(tree, "src/new.ts"), "changed");
  }
  expect(readFileSync(join(project, "src/new.ts"), "utf8")).toBe("new");
});

test.each(["SIGINT", "SIGTERM"] as const)("%s leaves no copy and no process behind", async (signal) => {
  const temporary = mkdtempSync(join(place, "t"));
  const program = `
    import { copyProject } from ${JSON.stringify(join(import.meta.dir, "../../mutants/tree-copy.ts"))};
    const { trees } = copyProject(${JSON.stringify(project)}, 1);
    const child = Bun.spawn(["sleep", "1000"], { env: { ...process.env, TMPDIR: trees[0] }, stdout: "inherit" });
    console.log("ready");
    await child.exited;
    await Bun.sleep(1e6);`;
  const run = Bun.spawn([process.execPath, "-e", program], {
    env: { ...process.env, TMPDIR: temporary },
    stdout: "pipe",
  });
  const output = run.stdout.getReader();
  await output.read();
  expect(readdirSync(temporary)).toHaveLength(1);
  run.kill(signal);
  expect(await run.exited).toBe(130);
  expect(readdirSync(temporary)).toEqual([]);
  // The child has this end of the pipe, too: it is closed when both have ended.
  expect((await output.read()).done).toBe(true);
});
