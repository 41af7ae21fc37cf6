import { describe, expect, test } from "bun:test";
import { proveCase } from "../../../../../src/commands/calibrate/cases/case-project.ts";
import { applySession } from "../../../../calibration/apply-session.ts";
import { CASES, casePlace, caseWorld } from "../../../../calibration/case-place.ts";
import { missingIn, requestMessage } from "../../../../calibration/case-requests.ts";

describe("ccc's own cases: a command proves the truth, and a reviewer is told what it needs, with the conversation or without", () => {
  const world = caseWorld();
  for (const each of CASES) {
    const isDone = each.truth === "done";
    test.concurrent(`${each.id}: ${isDone ? "done" : "not done"} after what the agent did`, async () => {
      await using place = casePlace();
      const session = await applySession(world, each, place);
      const message = await requestMessage(world, session, "fresh");
      expect(missingIn(each, message)).toEqual([]);
      expect(Buffer.byteLength(message)).toBeLessThan(30_000);
      // What the agent did and saw is in the conversation before this message.
      const afterConversation = await requestMessage(world, session, "session");
      expect(missingIn({ ...each, visible: [] }, afterConversation)).toEqual([]);
      const { isPassed, output } = await proveCase(world, each, place);
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

test("README.md, README.zh-CN.md and docs/calibrate.md say how many there are", async () => {
  const places = { "README.md": "sessions", "README.zh-CN.md": "个", "docs/calibrate.md": "cases" };
  for (const [name, unit] of Object.entries(places)) {
    const text = await Bun.file(`${import.meta.dir}/../../../../../${name}`).text();
    expect(text).toContain(`${CASES.length} ${unit}`);
  }
});
