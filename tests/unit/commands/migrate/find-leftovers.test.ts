import { describe, expect, test } from "bun:test";
import { findLeftovers } from "../../../../src/commands/migrate/find-leftovers.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

const SCRIPT = '#!/bin/sh\nexport CCC_CLAUDE=/usr/bin/ccc-claude\nexec ccc "$@"\n';
const PROGRAM = "a program ".repeat(1000);
const padded = (text: string, size: number) => text + "#".repeat(size - text.length);

describe("a claude that the Go ccc replaced", () => {
  const found = (content: Record<string, string>, parts: Partial<World> = {}) => {
    const files = { ...memoryFiles({ "/self/ccc": "ccc", ...content }), ...parts.files };
    const env = { HOME: "/home/u", PATH: "/first:/usr/bin" };
    return findLeftovers(fakeWorld({ env, ...parts, files }).world).patch;
  };
  const patch = { claude: "/usr/bin/claude", real: "/usr/bin/ccc-claude" };
  const both = { "/usr/bin/claude": SCRIPT, "/usr/bin/ccc-claude": PROGRAM };

  test("can be restored: the first one on the PATH, where the real one is beside it", () => {
    expect(found(both)).toEqual({ ...patch, obstacle: undefined });
    expect(found({ ...both, "/first/claude": PROGRAM })).toBeUndefined();
    expect(found({ ...both, "/usr/bin/claude": SCRIPT.replace("exec ccc", "exec /opt/ccc") })).toMatchObject(patch);
    expect(found({ ...both, "/usr/bin/claude": SCRIPT.replace(patch.real, `"${patch.real}"`) })).toMatchObject(patch);
    expect(found({ ...both, "/usr/bin/ccc-claude": `${PROGRAM}CCC_CLAUDE=` })?.obstacle).toBeUndefined();
    expect(found({ ...both, "/usr/bin/ccc-claude": "small, but no script" })?.obstacle).toBeUndefined();
  });

  const obstacles: [obstacle: string, content: Record<string, string>][] = [
    [
      "it is in another folder",
      { "/usr/bin/claude": SCRIPT.replace(patch.real, "/opt/ccc-claude"), "/opt/ccc-claude": PROGRAM },
    ],
    ["it is missing or not a program", { "/usr/bin/claude": SCRIPT }],
    ["it is such a script, too", { ...both, "/usr/bin/ccc-claude": SCRIPT }],
    [
      "it was replaced by ccc itself, not by a script",
      { "/self/ccc": "same size", "/usr/bin/claude": "SAME SIZE", "/usr/bin/ccc-claude": PROGRAM },
    ],
  ];
  for (const [obstacle, content] of obstacles)
    test(`cannot be restored: ${obstacle}`, () => expect(found(content)?.obstacle).toBe(obstacle));

  test("cannot be restored: you have no write permission there", () => {
    const files = { ...memoryFiles({ ...both, "/self/ccc": "ccc" }), canWrite: () => false };
    expect(found(both, { files })?.obstacle).toBe("you have no write permission there");
  });

  const others: [name: string, content: Record<string, string>, parts?: Partial<World>][] = [
    ["no claude at all", {}],
    ["claude itself", { "/usr/bin/claude": PROGRAM }],
    ["claude beside a program of that name", { "/usr/bin/claude": PROGRAM, "/usr/bin/ccc-claude": PROGRAM }],
    ["a link to ccc of one's own", { "/self/ccc": "same", "/usr/bin/claude": "SAME" }],
    ["a script of one's own", { ...both, "/usr/bin/claude": "#!/bin/sh\nexec ccc-claude --verbose\n" }],
    ["a script that does not run ccc", { ...both, "/usr/bin/claude": SCRIPT.replace("exec ccc", "exec other") }],
    ["a text that is not a script", { ...both, "/usr/bin/claude": SCRIPT.replace("#!", "") }],
    ["a script that is too large", { ...both, "/usr/bin/claude": padded(SCRIPT, 4096) }],
    ["Windows", both, { platform: "win32", env: { USERPROFILE: "/home/u", PATH: "/usr/bin" } }],
  ];
  for (const [name, content, parts] of others)
    test(`is not: ${name}`, () => expect(found(content, parts)).toBeUndefined());

  test("is a script up to 4 KiB", () =>
    expect(found({ ...both, "/usr/bin/claude": padded(SCRIPT, 4095) })).toMatchObject(patch));
});

test("slash commands are the Go ccc's if they call what it had", () => {
  const folder = "/home/u/.claude/commands";
  const call = "!`ccc supervisor-mode on`";
  const { world } = fakeWorld({
    content: {
      [`${folder}/supervisor.md`]: call,
      [`${folder}/supervisoroff.md`]: '!`"/a b/ccc.exe" supervisor-mode off`',
      [`${folder}/supervisor-mine.md`]: "Ask my supervisor.",
      [`${folder}/supervisor-large.md`]: padded(call, 4096),
      [`${folder}/other.md`]: call,
    },
  });
  expect(findLeftovers(world).commands).toEqual([`${folder}/supervisor.md`, `${folder}/supervisoroff.md`]);
});
