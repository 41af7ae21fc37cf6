import { describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { saveProject } from "../../../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../../../src/commands/calibrate/cases.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { proveCase } from "../../../calibration/prove-case.ts";
import { quickWorld, withQuickSession } from "../../../calibration/quick-claude.ts";

describe("the session of a case", () => {
  const world = quickWorld();

  function caseWith(parts: Partial<CalibrationCase>): CalibrationCase {
    const given = CASES.find(({ id }) => id === "stub/parsed");
    if (given === undefined) throw new Error("there is no such case");
    return { ...given, ...parts };
  }

  test("the agent does what is scripted, in the project, and says ok to whatever is asked beyond", async () => {
    const turns = [
      { run: "echo by a command > b.txt" },
      { write: "a.txt", content: "text" },
      { edit: "a.txt", old: "te", new: "ne" },
      { read: "a.txt" },
      { say: "Done." },
    ];
    await withQuickSession(world, caseWith({ turns, prompts: ["Do it.", "And more."] }), async (session) => {
      expect(await readFile(join(session.project, "a.txt"), "utf8")).toBe("next");
      expect(await readFile(join(session.project, "b.txt"), "utf8")).toBe("by a command\n");
      const transcript = await readFile(session.transcript, "utf8");
      const said = [...transcript.matchAll(/"text":"(.*?)"|"role":"user","content":"(.*?)"/g)];
      expect(said.map(([, agent, user]) => agent ?? user)).toEqual(["Do it.", "Done.", "And more.", "ok"]);
    });
  });

  test("every reviewer gets the files as the agent left them, in the same repository", () =>
    withQuickSession(world, caseWith({}), async (session) => {
      const at = (...names: string[]) => join(session.project, ...names);
      await writeFile(at("new file"), "by the agent");
      const before = (await readdir(session.project, { recursive: true })).sort();
      const objects = world.files.identify(at(".git/objects"))?.id;
      const restore = await saveProject(world, session);

      await restore();
      await mkdir(at("__pycache__"));
      await writeFile(at("__pycache__/x.pyc"), "by a reviewer's test run");
      await writeFile(at("new file"), "changed");
      await rm(at("src"), { recursive: true });
      await restore();
      expect((await readdir(session.project, { recursive: true })).sort()).toEqual(before);
      expect(await readFile(at("new file"), "utf8")).toBe("by the agent");
      expect(world.files.identify(at(".git/objects"))?.id).toBe(objects ?? "");
    }));

  test("a proof runs in a copy, with its own files and the agent's answer, and leaves nothing behind", () =>
    withQuickSession(world, caseWith({ turns: [{ say: "I did it." }] }), async (session) => {
      await writeFile(join(session.project, "a.txt"), "by the agent");
      const before = [await readdir(session.project), await readdir(session.scratch)];
      const proved = (prove: string) =>
        proveCase({ prove, proof: { "b.txt": "for the proof" }, turns: [{ say: "I did it." }] }, session);
      const right = 'cat a.txt; echo; cat b.txt; echo; echo "$ANSWER"; touch trace';
      expect(await proved(right)).toEqual({ isPassed: true, output: "by the agent\nfor the proof\nI did it." });
      expect(await proved("echo no >&2; exit 3")).toEqual({ isPassed: false, output: "no" });
      expect([await readdir(session.project), await readdir(session.scratch)]).toEqual(before);
    }));
});
