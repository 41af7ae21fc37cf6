import { describe, expect, test } from "bun:test";
import { reviewerProgram } from "../../../src/supervisor/reviewer-program.ts";
import { fakeWorld } from "../fakes.ts";

const guarded = {
  hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "/ccc supervisor-guard" }] }] },
  permissions: { additionalDirectories: ["/given", "../beside", "~/mine"] },
};

const program = (
  content: Record<string, string>,
  env: Record<string, string> = {},
  settings?: string,
  cwd = "/project",
) => {
  const { world } = fakeWorld({ content, env: { HOME: "/home/u", PATH: "/bin", ...env } });
  const call = { claude: "/bin/claude", sessionId: "id", settings, systemPrompt: "look", project: "/project", cwd };
  return reviewerProgram(world, call);
};
const after = (args: readonly string[], flag: string) => args[args.indexOf(flag) + 1] ?? "";

describe("the folders that a reviewer may read", () => {
  const folders = async (...given: Parameters<typeof program>) =>
    JSON.parse((await program(...given)).env.CCC_REVIEW_FOLDERS ?? "");

  test("are the project alone", async () => expect(await folders({})).toEqual(["/project"]));
  test("and what its settings and the user's give", async () => {
    const content = {
      "/r.json": JSON.stringify(guarded),
      "/home/u/.claude/settings.json": JSON.stringify({ permissions: { additionalDirectories: ["/users"] } }),
      "/project/.claude/settings.json": JSON.stringify({ permissions: { additionalDirectories: ["/stolen"] } }),
    };
    expect(await folders(content, {}, "/r.json")).toEqual([
      "/project",
      "/given",
      "/project/../beside",
      "/home/u/mine",
      "/users",
    ]);
  });
  test("and where the agent is, but not a whole home", async () => {
    expect(await folders({}, {}, undefined, "/elsewhere")).toEqual(["/project", "/elsewhere"]);
    for (const cwd of ["/home/u", "/home", "/"]) expect(await folders({}, {}, undefined, cwd)).toEqual(["/project"]);
  });
});

describe("the guard", () => {
  test("is in the settings where none are given", async () => {
    const { args } = await program({});
    expect(JSON.parse(after(args, "--settings")).hooks.PreToolUse[0].hooks[0].command).toBe(
      "/self/ccc supervisor-guard",
    );
    expect(after(args, "--disallowedTools")).not.toContain("~/.ssh");
  });
  test("is replaced by rules where settings of the user's own are without it", async () => {
    for (const own of [{}, { ...guarded, disableAllHooks: true }, { hooks: 7 }]) {
      const { args } = await program({ "/r.json": JSON.stringify(own) }, {}, "/r.json");
      expect(after(args, "--settings")).toBe("/r.json");
      expect(after(args, "--disallowedTools")).toContain("Read(~/.ssh/**)");
    }
  });
  test("allows what no rule does: those are for commands exactly as they stand", async () => {
    const rules = after((await program({})).args, "--allowedTools").split(",");
    expect(rules).toContain("Bash(npm test)");
    expect(rules.filter((rule) => !/^Bash\([^*]+\)$/.test(rule))).toEqual([]);
  });
});
