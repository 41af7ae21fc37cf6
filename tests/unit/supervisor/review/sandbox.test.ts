import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import { findSandbox, openSandbox } from "../../../../src/supervisor/review/sandbox.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const CLAUDE = { claude: "/bin/claude", version: "2.1.325" };
const KEPT = { machine: "m", ...CLAUDE, why: null };

/** What is found on a machine with these programs and files; `ran` are the programs that were started. */
async function found(
  parts: Partial<World>,
  content: Record<string, string>,
  run: Partial<Awaited<ReturnType<World["run"]>>> = {},
) {
  const ran: string[] = [];
  const { world } = fakeWorld({
    content: { "/etc/machine-id": "m\n", ...content },
    env: { HOME: "/h", USERPROFILE: "/h", PATH: "/usr/bin" },
    run: async ({ program }) => {
      ran.push(program.file);
      return { exitCode: 0, ending: "exited", stderr: "", ...run };
    },
    ...parts,
  });
  return { ...(await findSandbox(world, cccPaths(world), CLAUDE)), ran };
}

describe("whether there is a sandbox", () => {
  const both = { "/usr/bin/bwrap": "x", "/usr/bin/socat": "x" };
  const kept = (more: object) => ({ "/h/.claude/ccc/sandbox.json": JSON.stringify({ ...KEPT, ...more }) });

  test("what the system lacks is said, with what to do, and nothing else is tried", async () => {
    expect(await found({ platform: "win32" }, both)).toEqual({
      why: "Claude Code has none on this system",
      advice: "",
      ran: [],
    });
    expect(await found({ platform: "linux" }, {})).toMatchObject({ why: "missing: bubblewrap and socat", ran: [] });
    expect(await found({ platform: "linux" }, { "/usr/bin/bwrap": "x" })).toEqual({
      why: "missing: socat",
      advice: "apt-get install socat",
      ran: [],
    });
    const refused = { exitCode: 1, stderr: "bwrap: No permissions to create a new namespace\n" };
    expect(await found({ platform: "linux" }, { ...both, ...kept({}) }, refused)).toEqual({
      why: "user namespaces are forbidden here (bwrap: No permissions to create a new namespace)",
      advice: expect.stringContaining("sysctl"),
      ran: ["/usr/bin/bwrap"],
    });
  });

  test("what was tried with this Claude Code on this machine is kept, and the system is looked at again only if it worked", async () => {
    expect(await found({ platform: "linux" }, { ...both, ...kept({}) })).toEqual({ ran: ["/usr/bin/bwrap"] });
    expect(await found({ platform: "linux" }, { ...both, ...kept({ why: "no" }) })).toMatchObject({
      why: "no",
      ran: [],
    });
    expect(await found({ platform: "darwin" }, kept({}))).toEqual({ ran: [] });
  });

  test.each([{ machine: "other" }, { version: "2.1.326" }, { claude: "/other" }])("not for %j", async (other) => {
    const { why, ran } = await found({ platform: "darwin" }, kept(other));
    expect(ran).toEqual(["/bin/claude"]);
    expect(why).toContain("Claude Code ran nothing in it");
  });
});

test.each([
  ["a folder of programs in a folder of their own, with that", "/h/tools/bin", ["/h/tools"]],
  ["one directly in the home, alone", "/h/bin", ["/h/bin"]],
  ["one with another name, alone", "/h/work/scripts", ["/h/work/scripts"]],
  ["one in a hidden folder, with all of that", "/h/.sdk/x/y", ["/h/.sdk"]],
])("of a hidden home, a reviewer sees %s", async (_, folder, shown) => {
  const { world } = fakeWorld({ env: { HOME: "/h", PATH: folder }, content: { [`${folder}/tool`]: "x" } });
  const place = { project: "/project", paths: cccPaths(world) };
  const sandbox = await openSandbox({ world, baseline: undefined, ...place } as Parameters<typeof openSandbox>[0]);
  const rules = sandbox.rules({ read: ["/project"], files: [] }, []);
  expect(rules.shown.filter((path) => path.startsWith("/h/") && !path.includes("/.cache"))).toEqual(shown);
});
