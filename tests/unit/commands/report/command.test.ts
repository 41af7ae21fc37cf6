import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { SESSION, startSession, verdict } from "../../supervisor/session-in-memory.ts";

const KEY = "secret-key-of-glm";

/** `ccc report` after a supervised session whose prompt has a key in it. */
async function report(args: readonly string[], parts: Partial<World> = {}, content: Record<string, string> = {}) {
  const session = await startSession();
  await session.start();
  await session.prompt(`fix the cart with ${KEY}`);
  await session.stop(verdict(true, "All there."));
  Object.assign(session.files.content, content);
  const { world, said, ran } = fakeWorld({ argv: ["report", ...args], files: session.files, ...parts });
  return { exitCode: await run(world), ...said, ran, files: session.files.content };
}

describe("ccc report", () => {
  test("prints the report, with known keys masked", async () => {
    const { exitCode, stdout, stderr } = await report([]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toStartWith(`Done after 1 review\nsession ${SESSION} in /project\n`);
    expect(stdout).toContain("  fix the cart with ***\n");
    expect(stdout).toEndWith("\n");
  });

  test("on a terminal it says how to see it in the browser", async () =>
    expect((await report([], { isTerminal: () => true })).stderr).toBe("ccc: to see it in the browser, add --open\n"));

  test("--json prints one value, with known keys masked", async () => {
    const { exitCode, stdout, stderr } = await report(["--json", SESSION.slice(0, 4)]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ session: SESSION, prompts: [{ text: "fix the cart with ***" }] });
    expect(stdout).not.toContain(KEY);
  });

  test("--html writes a page and opens nothing", async () => {
    const { exitCode, stdout, stderr, files, ran } = await report(["--html", "out.html"]);
    expect({ exitCode, stdout, stderr, ran }).toEqual({
      ...{ exitCode: 0, stdout: "", stderr: "ccc: wrote /project/out.html\n", ran: [] },
    });
    expect(files["/project/out.html"]).toContain("fix the cart with ***");
    expect(files["/project/out.html"]).not.toContain(KEY);
  });

  test.each([
    [["--open"], "linux", "/bin/xdg-open", [`/scratch/report-${SESSION}.html`]],
    [["--open", "--html", "out.html"], "darwin", "/bin/open", ["/project/out.html"]],
  ] as const)("%j hands the page to the opener of %s", async (args, platform, file, opened) => {
    const { exitCode, stdout, stderr, files, ran } = await report(args, { platform }, { [file]: "" });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "", stderr: `ccc: wrote ${opened[0]}\n` });
    expect(ran).toMatchObject([{ file, args: opened }]);
    expect(files[opened[0]]).toContain("<!doctype html>");
  });

  test.each([
    ["an opener that fails", { "/bin/xdg-open": "" }, 3, "cannot open the report: xdg-open failed (exit 3)"],
    ["an opener that fails", { "/bin/xdg-open": "" }, 1, "cannot open the report: xdg-open failed (exit 1)"],
    ["no opener", {}, 0, "cannot open the report: no xdg-open on your PATH"],
  ])("%s: the page is there, and where is said", async (_, content, code, says) => {
    const handOver = async () => ({ exitCode: code, signal: null, isInterrupted: false });
    const { exitCode, stderr, files } = await report(["--open", "--html", "out.html"], { handOver }, content);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`ccc: ${says}\n`);
    expect(stderr).toContain("Open it yourself: /project/out.html");
    expect(files).toHaveProperty(["/project/out.html"]);
  });

  test.each([
    [["--json", "--html", "out.html"], "--json cannot be combined with --html"],
    [["--json", "--open"], "--json cannot be combined with --open"],
    [["--html", ""], "--html needs the name of a file"],
  ])("%j is refused, and nothing is written", async (args, says) => {
    const { exitCode, stdout, stderr, files } = await report(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`ccc: ${says}\n`);
    expect(files).not.toHaveProperty(["/project/out.html"]);
  });

  test("an unknown session is an error", async () =>
    expect(await report(["ffff"])).toMatchObject({
      ...{
        exitCode: 1,
        stdout: "",
        stderr: expect.stringContaining('no supervised session on record begins with "ffff"'),
      },
    }));
});
