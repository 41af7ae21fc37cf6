import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { checkConsent } from "../../../../src/supervisor/checks/check-consent.ts";
import { bindLaunch, claudeOf } from "../../../../src/supervisor/hooks/bind-launch.ts";
import { saveUse } from "../../../../src/supervisor/record/launch-record.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { fakeWorld } from "../../fakes.ts";

const SUPERVISOR_MD = "/project/SUPERVISOR.md";
const matter = (command: string) => `---\nchecks: [${command}]\n---\nlook\n`;

test("a session that ccc did not start has the checks of its beginning; a project's only after an earlier yes", () => {
  const config = JSON.stringify({ providers: { glm: { env: {} } }, supervisor: { checks: ["own"] } });
  const { world, files } = fakeWorld({
    content: { "/home/u/.claude/ccc.json": config, [SUPERVISOR_MD]: matter("npm test") },
  });
  const paths = cccPaths(world);
  const checks = (id: string) => {
    const session = { project: "/project", isPersistent: true, isNew: false };
    return bindLaunch(world, paths, sessionRecord(paths, id), session, (action) => action()).checks;
  };
  expect(checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
  checkConsent(files, paths, "/project", ["npm test"]).save(true);
  expect(checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
  // What the agent writes later does not count for sessions that have begun.
  files.content[SUPERVISOR_MD] = matter("added");
  files.content["/home/u/.claude/ccc.json"] = config.replace("own", "added");
  expect(checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
  expect(checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
});

test("a session that ccc did not start is reviewed as `ccc use` settled it, with the instructions of its own folder", () => {
  const { world } = fakeWorld({ content: { [SUPERVISOR_MD]: "look", "/other/claude": "claude" } });
  const paths = cccPaths(world);
  const bind = (id: string) => {
    const session = { project: "/project", isPersistent: true, isNew: false };
    return bindLaunch(world, paths, sessionRecord(paths, id), session, (action) => action());
  };
  const own = { cwd: "/project", instructions: { path: SUPERVISOR_MD, text: "look" } };
  const found = bind("before");
  expect(found).toMatchObject({ ...own, reviewer: "", claude: "/bin/claude" });
  saveUse(world.files, paths, {
    ...{ ...found, cwd: "/home/u", reviewer: "glm", claude: "/other/claude", version: "2.1.325" },
    instructions: { path: null, text: "" },
  });
  expect(bind("after")).toMatchObject({ ...own, reviewer: "glm", claude: "/other/claude", version: "2.1.325" });
});

describe("a review is run by", () => {
  const ran = (claude: string) => {
    const { world } = fakeWorld({ content: { "/other/claude": "claude" } });
    const paths = cccPaths(world);
    const session = { project: "/project", isPersistent: true, isNew: false };
    const launch = bindLaunch(world, paths, sessionRecord(paths, "s"), session, () => {});
    return claudeOf(world, { ...launch, claude });
  };
  test("the claude of the launch", () => expect(ran("/other/claude")).toBe("/other/claude"));
  test("the one on the PATH, if that one has been removed", () => expect(ran("/gone/claude")).toBe("/bin/claude"));
});
