import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { checkConsent } from "../../../../src/supervisor/checks/check-consent.ts";
import { bindLaunch } from "../../../../src/supervisor/hooks/bind-launch.ts";
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
