import { describe, expect, test } from "bun:test";
import { prepareProject, proveCase } from "../../../../../src/commands/calibrate/cases/case-project.ts";
import { applyTurns } from "../../../../calibration/apply-turns.ts";
import { CASES, casePlace } from "../../../../calibration/case-place.ts";

describe("the truth of ccc's own cases is proven by a command", () => {
  for (const each of CASES) {
    const isDone = each.truth === "done";
    test.concurrent(`${each.id}: ${isDone ? "done" : "not done"} after what the agent did`, async () => {
      await using place = casePlace();
      await prepareProject(place.world, each, place.project, place.env);
      await applyTurns(place.world, each, place.project, place.env);
      const { isPassed, output } = await proveCase(place.world, each, place);
      expect({ isPassed, output }).toEqual({ isPassed: isDone, output });
    });
  }
});

test("the programs that a case needs are those that it runs", () => {
  const known = /(?<!\.)\b(python3|node|npm|bun|go|cargo|ruby)\b/g;
  for (const { id, turns, prove, needs } of CASES) {
    const commands = [prove, ...turns.flatMap((turn) => ("run" in turn ? [turn.run] : []))].join("\n");
    const used = new Set([...commands.matchAll(known)].map(([name]) => (name === "npm" ? "node" : name)));
    expect({ id, needs: [...needs].sort() }).toEqual({ id, needs: [...used].sort() });
  }
});

test("the cases cover five languages, and prompts in English and Chinese", () => {
  const languages = new Set(CASES.map(({ language }) => language));
  expect([...languages]).toEqual(expect.arrayContaining(["Shell", "Python", "TypeScript", "Go", "Prose"]));
  const isChinese = CASES.map(({ prompts }) => /\p{Script=Han}/u.test(prompts.join("")));
  expect(isChinese).toContain(true);
  expect(isChinese).toContain(false);
});

test("docs/calibrate.md lists every pair with its kind", async () => {
  const guide = await Bun.file(`${import.meta.dir}/../../../../../docs/calibrate.md`).text();
  for (const { id, kind } of CASES) expect(guide).toContain(`| \`${id.split("/")[0]}\` | ${kind} |`);
});
