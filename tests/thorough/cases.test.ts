import { beforeAll, describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import {
  type CalibrationCase,
  chooseCases,
  ownCases,
  withoutMissingPrograms,
} from "../../src/commands/calibrate/cases.ts";
import { CASES } from "../calibration/case-place.ts";
import { missingIn, requestMessage } from "../calibration/case-requests.ts";
import { proveCase } from "../calibration/prove-case.ts";
import { quickWorld, withQuickSession } from "../calibration/quick-claude.ts";
import { memoryFiles } from "../unit/fakes.ts";

describe("the files of a case", () => {
  const DONE = { truth: "done", why: "It is there.", turns: [{ write: "a.txt" }, { say: "Done." }] };
  const NOT_DONE = { truth: "not_done", why: "It is not.", mention: [["a.txt"]], turns: [{ say: "Done." }] };
  const PAIR = {
    kind: "nothing done",
    language: "Prose",
    prompts: ["Write a.txt."],
    prove: "test -f a.txt",
    variants: { written: DONE, told: NOT_DONE },
  };
  const files = (pair: object, more: Readonly<Record<string, string>> = {}) => ({
    "case.json": JSON.stringify(pair),
    "written/a.txt": "text",
    "before/b.txt": "b",
    ...more,
  });
  const readPair = (texts: Readonly<Record<string, string>>) =>
    chooseCases([], { mine: texts }, { files: memoryFiles({}), cwd: "/p" }).cases;
  const variants = (written: object, told: object = NOT_DONE) => ({ ...PAIR, variants: { written, told } });

  test("the two cases of a pair, with the texts of their files", () => {
    const own = { ...NOT_DONE, prompts: ["Write it."], visible: ["b"] };
    const more = { "before.told/b.txt": "other", "proof/c.txt": "c", "README.md": "notes" };
    const [written, told] = readPair(files(variants(DONE, own), more));
    expect(written).toMatchObject({
      id: "mine/written",
      needs: [],
      prompts: ["Write a.txt."],
      before: { "b.txt": "b" },
      proof: { "c.txt": "c" },
      turns: [{ write: "a.txt", content: "text" }, { say: "Done." }],
    });
    expect(told).toMatchObject({
      id: "mine/told",
      prompts: ["Write it."],
      before: { "b.txt": "other" },
      visible: ["b"],
    });
  });

  describe("a case that cannot be used", () => {
    const faults: [name: string, files: Readonly<Record<string, string>>, says: string][] = [
      ["no case.json", {}, "case.json is missing"],
      ["broken JSON", { "case.json": "{" }, "case.json is not valid JSON"],
      ["no object", { "case.json": "7" }, "case.json Invalid type: Expected Object but received 7"],
      ["no proof", files({ ...PAIR, prove: undefined }), "case.json lacks a field: prove"],
      ["a misspelt field", files({ ...PAIR, neds: [] }), "case.json has an unknown field: neds"],
      [
        "a misspelt field of a variant",
        files(variants({ ...DONE, wy: "" })),
        "has an unknown field: variants.written.wy",
      ],
      ["an empty prompt", files({ ...PAIR, prompts: [""] }), "case.json prompts.0: must not be empty"],
      ["one variant", files({ ...PAIR, variants: { written: DONE } }), "must have two variants"],
      ["twins", files(variants(DONE, DONE)), 'must have one variant whose truth is "done"'],
      ["no mention", files(variants(DONE, { ...NOT_DONE, mention: [] })), 'must say under "mention"'],
      [
        "no regular expression",
        files(variants(DONE, { ...NOT_DONE, mention: [["("]] })),
        "is not a regular expression",
      ],
      ["no answer", files(variants({ ...DONE, turns: [{ run: "ls" }] })), 'must have turns that end with "say"'],
      [
        "something after the answer",
        files(variants({ ...DONE, turns: [{ say: "x" }, { run: "ls" }] })),
        'must have turns that end with "say"',
      ],
      [
        "two answers to a prompt",
        files(variants({ ...DONE, turns: [{ say: "x" }, { say: "y" }] })),
        'must have turns that end with "say"',
      ],
      [
        "an odd turn",
        files(variants({ ...DONE, turns: [{ delete: "a" }, { say: "x" }] })),
        "must be one of say, run, read",
      ],
      [
        "a way out",
        files(variants({ ...DONE, turns: [{ write: "../a" }, { say: "x" }] })),
        "variants.written.turns.0.write: must be a path inside the project",
      ],
      [
        "no text to write",
        files(variants({ ...DONE, turns: [{ write: "z" }, { say: "x" }] })),
        "there is no written/z",
      ],
      ["a stray file", files(PAIR, { "other/x": "" }), "other/x is in no folder of a case"],
    ];
    test.each(faults)("%s", (_, given, says) => {
      expect(() => readPair(given)).toThrow(says);
      expect(() => readPair(given)).toThrow("case mine: ");
    });
  });
});

describe("--cases", () => {
  const { stub = {}, region = {} } = ownCases();
  const at = (folder: string, texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([path, text]) => {
        const parents = path.split("/").slice(0, -1);
        const folders = parents.map(
          (_, index) => [`${folder}/${parents.slice(0, index + 1).join("/")}`, null] as const,
        );
        return [[folder, null] as const, ...folders, [`${folder}/${path}`, text] as const];
      }),
    );

  const FILES = memoryFiles({
    "/p/mine": null,
    "/p/empty": null,
    "/p/mine/notes": null,
    "/p/mine/notes/todo.txt": "x",
    "/p/stub": null,
    ...at("/p/mine/first", stub),
    ...at("/p/mine/second", region),
  });
  const chosen = (...words: string[]) => {
    const { cases, folder } = chooseCases(words, ownCases(), { files: FILES, cwd: "/p" });
    return { ids: cases.map(({ id }) => id), folder };
  };

  describe("the cases that a user means", () => {
    test("all of ccc's own by default", () => {
      expect(chosen()).toEqual({ ids: CASES.map(({ id }) => id), folder: null });
    });
    test("pairs and single cases by name; a folder with the same name does not matter", () => {
      expect(chosen("stub").ids).toEqual(["stub/placeholder", "stub/parsed"]);
      const three = ["region/asks", "region/told", "stub/parsed"];
      expect(chosen("stub/parsed, region").ids).toEqual(three);
      expect(chosen("region", "stub/parsed").ids).toEqual(three);
    });
    test("the user's folder: one pair, or several; other folders in it are ignored", () => {
      expect(chosen("mine/first")).toEqual({ ids: ["first/placeholder", "first/parsed"], folder: "/p/mine/first" });
      expect(chosen("/p/mine").ids.map((id) => id.split("/")[0])).toEqual(["first", "first", "second", "second"]);
    });
    const faults: [words: string[], says: string][] = [
      [["stubb"], 'no case and no folder is named "stubb": did you mean "stub"?'],
      [["stub,nonsense"], 'no case and no folder is named "nonsense"'],
      [["stub/parsd"], 'did you mean "stub/parsed"?'],
      [[""], "--cases takes names of cases"],
      [["stub,"], "--cases takes names of cases"],
      [["empty"], "there is no case in /p/empty: a case is a folder with a case.json"],
    ];
    test.each(faults)("%j is an error", (words, says) => {
      expect(() => chosen(...words)).toThrow(says);
    });
  });

  test.each([
    ["a file of a million bytes", { "before/big": "x".repeat(1_000_000) }, undefined],
    ["a larger one", { "before/big": "x".repeat(1_000_001) }, "/p/own/before/big is too large for a case"],
    ["500 files", many(500 - Object.keys(stub).length), undefined],
    ["more", many(501 - Object.keys(stub).length), "/p/own has too many files for a case"],
  ])("a case with %s", (_, more, says) => {
    const files = memoryFiles(at("/p/own", { ...stub, ...more }));
    const choose = () => chooseCases(["own"], ownCases(), { files, cwd: "/p" }).cases.length;
    if (says === undefined) expect(choose()).toBe(2);
    else expect(choose).toThrow(says);
  });

  function many(count: number): Record<string, string> {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`before/${index}`, ""]));
  }

  test("cases that need a missing program are left out", () => {
    const files = memoryFiles({ "/bin/python3": "program" });
    const { runnable, leftOut } = withoutMissingPrograms(CASES, { env: { PATH: "/bin" }, files, platform: "linux" });
    expect(runnable.some(({ needs }) => needs.includes("python3"))).toBe(true);
    expect(runnable.some(({ needs }) => needs.includes("bun"))).toBe(false);
    expect(leftOut).toContainEqual({ case: "stub/parsed", needs: "bun" });
    expect(runnable.length + leftOut.length).toBe(CASES.length);
  });
});

describe("own cases", () => {
  describe("ccc's own cases: a command proves the truth, and a reviewer gets what it needs, with the conversation or without", () => {
    const world = quickWorld();

    /** What a reviewer would be sent after the agent's work, and whether the work is done. */
    const examined = (given: CalibrationCase) =>
      withQuickSession(world, given, async (session) => ({
        fresh: await requestMessage(world, session, "fresh"),
        afterConversation: await requestMessage(world, session, "session"),
        proof: await proveCase(given, session),
      }));

    // A few at a time: with all of them at once, time limits of git expire on a busy machine.
    const waiting = CASES.map((each) => ({ each, ...Promise.withResolvers<Awaited<ReturnType<typeof examined>>>() }));
    const found = new Map(waiting.map(({ each, promise }) => [each.id, promise]));
    for (const promise of found.values()) promise.catch(() => {});

    beforeAll(() => {
      const work = async (): Promise<void> => {
        const next = waiting.shift();
        if (next === undefined) return;
        await examined(next.each).then(next.resolve, next.reject);
        return work();
      };
      for (let count = 0; count <= availableParallelism(); count++) work();
    });

    for (const each of CASES) {
      const isDone = each.truth === "done";
      test(`${each.id}: ${isDone ? "done" : "not done"} after what the agent did`, async () => {
        const { fresh, afterConversation, proof } = (await found.get(each.id)) ?? {};
        expect(missingIn(each, fresh ?? "")).toEqual([]);
        expect(Buffer.byteLength(fresh ?? "")).toBeLessThan(30_000);
        // What the agent did and saw is in the conversation before this message.
        expect(missingIn({ ...each, visible: [] }, afterConversation ?? "")).toEqual([]);
        expect(proof).toEqual({ isPassed: isDone, output: proof?.output ?? "" });
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

  test("docs/development/cases.md lists every pair with its kind", async () => {
    const guide = await Bun.file(`${import.meta.dir}/../../docs/development/cases.md`).text();
    for (const { id, kind } of CASES) expect(guide).toContain(`| \`${id.split("/")[0]}\` | ${kind} |`);
  });

  test("README.md, README.zh-CN.md and docs/calibrate.md say how many there are", async () => {
    const places = { "README.md": "sessions", "README.zh-CN.md": "个", "docs/calibrate.md": "cases" };
    for (const [name, unit] of Object.entries(places)) {
      const text = await Bun.file(`${import.meta.dir}/../../${name}`).text();
      expect(text).toContain(`${CASES.length} ${unit}`);
    }
  });
});
