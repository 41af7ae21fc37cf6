import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../src/config/paths.ts";
import { prepare } from "../../../src/launch/launch.ts";
import type { Plan } from "../../../src/launch/plan.ts";
import { diskFiles } from "../../../src/os/disk.ts";
import { LATE_LAUNCH } from "../../../src/supervisor/launch.ts";
import { fakeWorld } from "../fakes.ts";

describe("execute", () => {
  const DAY_MS = 24 * 3600 * 1000;

  test("settings of single launches are kept for a month after their last use", () => {
    const folder = mkdtempSync(join(tmpdir(), "ccc-execute-"));
    try {
      const { world } = fakeWorld({ files: diskFiles(process.pid), now: () => new Date() });
      const paths = cccPaths({ env: { CCC_CONFIG_DIR: folder }, platform: "linux" });
      world.files.makeFolder(paths.generated);
      const add = (name: string, days: number) => {
        const path = join(paths.generated, name);
        writeFileSync(path, "{}\n");
        utimesSync(path, new Date(Date.now() - days * DAY_MS), new Date(Date.now() - days * DAY_MS));
        return path;
      };
      const time = (path: string) => statSync(path).mtimeMs;
      const launch = (path: string) =>
        prepare({ ...PLAN, files: [{ path, content: {} }] }, world, paths, () => LATE_LAUNCH);
      const [used, young] = [add("settings-glm-plain+1.json", 40), add("settings-glm-plain+2.json", 29)];
      add("settings-glm-plain+3.json", 31);
      const own = add("settings-glm.json", 99);

      launch(used);
      expect(readdirSync(paths.generated).sort()).toEqual(
        [used, young, own].map((path) => path.split("/").at(-1) ?? ""),
      );
      expect(Date.now() - time(used)).toBeLessThan(DAY_MS);

      const before = time(used);
      add("settings-glm-plain+4.json", 31);
      launch(used);
      // Once a day is enough, for both.
      expect([time(used), readdirSync(paths.generated).length]).toEqual([before, 4]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("the command that resumes the session is ccc's, unless the shell names another", () => {
    const hint = "CLAUDE_CODE_RESUME_HINT_COMMAND";
    const resumedBy = (env: Record<string, string>) => {
      const { world } = fakeWorld({ env: { HOME: "/home/u", ...env } });
      return prepare(PLAN, world, cccPaths(world), () => LATE_LAUNCH)[hint];
    };
    expect([resumedBy({}), resumedBy({ [hint]: "mine" })]).toEqual(["ccc", "mine"]);
  });

  const PLAN: Plan = {
    provider: "glm",
    file: "",
    args: [],
    unset: [],
    set: {},
    files: [],
    settings: { agent: { path: "", content: {} }, reviewer: undefined, fallback: [] },
    isShared: false,
    remember: false,
    references: [],
    notices: [],
  };
});
