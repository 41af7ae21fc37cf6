import { describe, expect, test } from "bun:test";
import { type Criterion, newCriterion, tally } from "../../../src/supervisor/criteria.ts";
import {
  deadlocked,
  disputesIn,
  EMPTY_LEDGER,
  type Ledger,
  openLedger,
  type Ruling,
  ruleOn,
  withNoticed,
} from "../../../src/supervisor/ledger.ts";

describe("disputes", () => {
  const CRITERIA = [
    { id: "C1", status: "unmet" },
    { id: "C2", status: "unmet" },
    { id: "C3", status: "met" },
  ] as const;

  describe("the agent disputes a criterion", () => {
    const table: [name: string, message: string, disputes: string[]][] = [
      ["on a line of its own", "I fixed C1.\nC2 disputed: the user wants JSON", ["C2 the user wants JSON"]],
      ["as a list item, in bold", "- **C2 disputed**: see a.ts\n- C1 disputed: no", ["C1 no", "C2 see a.ts"]],
      ["in small letters", "c1 disputed: because", ["C1 because"]],
      ["a met one is not in dispute", "C3 disputed: x", []],
      ["an unknown one neither", "C9 disputed: x", []],
      ["a mention within a line does not count", "I would have C2 disputed: x", []],
      ["nothing", "All done.", []],
    ];
    for (const [name, message, disputes] of table) {
      test(name, () =>
        expect(disputesIn(message, CRITERIA).map(({ id, reason }) => `${id} ${reason}`)).toEqual(disputes),
      );
    }
  });
});

const prompted = (count: number, text = "go on"): string[] => Array.from({ length: count }, () => text);

describe("done means", () => {
  describe("the criteria that a text states are", () => {
    const table: [name: string, text: string, criteria: string[]][] = [
      [
        "a section of its own",
        "# Task\n\n## Done means\n\n- [ ] it builds\n* [x]  it is fast\n",
        ["it builds", "it is fast"],
      ],
      ["of the highest level", "# Done means\n- [ ] a\n## Speed\n- [ ] b\n# Else\n- [ ] c", ["a", "b"]],
      ["ends at the next heading", "## Done means\n- [ ] a\n## Later\n- [ ] b\n", ["a"]],
      [
        "includes its own subsections",
        "## Done means\n### Build\n- [ ] a\n### Speed\n- [ ] b\n# Else\n- [ ] c",
        ["a", "b"],
      ],
      ["a line of a prompt", "Fix the bug.\n\nDone means:\n- [ ] a\n- [ ] b", ["a", "b"]],
      ["bold, in upper case", "**DONE MEANS**\r\n- [ ] a\r\n", ["a"]],
      ["lists elsewhere do not count", "- [ ] a\n\n## To do\n- [ ] b", []],
      ["lines without a box do not count", "## Done means\n- a\ntext", []],
      ["code does not count", "```\n## Done means\n- [ ] a\n```\n- [ ] b", []],
      ["the words in a sentence do not count", "When it is done means a lot.\n- [ ] a", []],
      ["each once", "## Done means\n- [ ] a\n- [ ] a", ["a"]],
      ["nothing", "", []],
    ];
    const before = { prompts: ["go on"], instructions: "", isSettled: false, noticed: [] };
    for (const [name, text, criteria] of table)
      test(name, () => {
        const stated = openLedger(EMPTY_LEDGER, { ...before, prompts: [text] });
        expect(stated.criteria.map((each) => each.text)).toEqual(criteria);
        expect(stated.canAdd).toBe(criteria.length === 0);
        const standing = openLedger(EMPTY_LEDGER, { ...before, instructions: text });
        expect(standing.criteria.map((each) => each.text)).toEqual(criteria);
        expect(standing.canAdd).toBe(true);
      });
    test("cut if they are long", () =>
      expect(
        openLedger(EMPTY_LEDGER, { ...before, prompts: [`Done means\n- [ ] ${"x".repeat(999)}`] }).criteria,
      ).toEqual([newCriterion("C1", "x".repeat(300))]));
  });
});

describe("ledger", () => {
  /** Of a point that ccc noticed, a review need not repeat the text. */
  const ruling = (id: string, status: Ruling["status"], text = id.startsWith("T") ? "" : `text of ${id}`): Ruling => ({
    id,
    text,
    status,
    evidence: `saw ${id}`,
  });
  interface Known extends Partial<Pick<Parameters<typeof openLedger>[1], "isSettled" | "noticed">> {
    /** What the instructions, and each prompt, list under "Done means". */
    readonly standing?: readonly string[];
    readonly stated?: readonly string[];
  }
  const list = (criteria: readonly string[] = []) =>
    `Done means:\n${criteria.map((each) => `- [ ] ${each}\n`).join("")}`;
  const before = (prompts: number, { standing, stated, ...more }: Known = {}) => ({
    prompts: prompted(prompts, list(stated)),
    instructions: list(standing),
    isSettled: false,
    noticed: [],
    ...more,
  });
  const shown = ({ criteria }: Pick<Ledger, "criteria">) => criteria.map(({ id, status }) => `${id} ${status}`);

  /** Runs reviews one after another; each gives what is known before it and its rulings. */
  function reviews(...all: [ReturnType<typeof before>, Ruling[], disputed?: string[]][]): Ledger {
    return all.reduce<Ledger>(
      (ledger, [known, rulings, disputed = []]) =>
        ruleOn(openLedger(ledger, known), rulings, { disputed, files: "tree" }).ledger,
      EMPTY_LEDGER,
    );
  }

  describe("the criteria of a session", () => {
    test("are written down by the first review, with its numbers where they are free", () => {
      const ledger = reviews([
        before(1),
        [ruling("", "met", "a"), ruling("C9", "unmet", "b"), ruling("C3", "met", "c")],
      ]);
      expect(ledger.criteria).toMatchObject([
        { id: "C1", text: "a", status: "met", evidence: "saw " },
        { id: "C9", text: "b", status: "unmet", evidence: "saw C9" },
        { id: "C10", text: "c", status: "met", evidence: "saw C3" },
      ]);
    });
    test("are those of a later review if the first named none", () => {
      expect(shown(reviews([before(1), []], [before(1), [ruling("C1", "met")]]))).toEqual(["C1 met"]);
    });
    test("stay the same for the same prompt: no new ones, no dropped ones, no other words", () => {
      const first = [ruling("C1", "unmet"), ruling("C2", "unmet")];
      const second = [ruling("c1", "met", "the text of C1, shortly"), ruling("C2", "dropped"), ruling("C3", "unmet")];
      const ledger = reviews([before(1), first], [before(1), second]);
      expect(shown(ledger)).toEqual(["C1 met", "C2 unmet"]);
      expect(ledger.criteria[0]?.text).toBe("text of C1");
    });
    test("are recognized by their text if a review renumbers them", () => {
      const ledger = reviews([before(1), [ruling("C1", "unmet")]], [before(1), [ruling("1", "met", "text of C1")]]);
      expect(shown(ledger)).toEqual(["C1 met"]);
    });
    describe("are not settled by a ruling on something else that has the same id:", () => {
      const table: [text: string, ruled: string, isSame: boolean][] = [
        ["src/a.js exports add", "src/a.js exports add", true],
        ["src/a.js exports add", "", true],
        ["src/a.js exports add", "add is exported", true],
        ["src/a.js exports add", "`a.js` exports `add`.", true],
        ["npm test passes", "All tests pass when npm test runs", true],
        ["a.txt exists", "a.txt 存在", true],
        ["all tests pass", "所有测试通过", true],
        ["所有测试通过", "测试全部通过", true],
        ["tests/a.test.ts was deleted", "The deleted test a.test.ts", true],
        ["src/a.js exports add", "README.md explains src/a.js", false],
        ["src/a.js exports add", "npm test passes", false],
        ["it builds", "it is fast", false],
        ["go up", "golang updates", false],
        ["所有测试通过", "新增命令行参数", false],
        ["src/a.js 导出 add", "README.md has a section on usage", false],
        ["tests/a.test.ts was deleted", "add(1, 2) is 3", false],
      ];
      test.each(table)("%s ← %s", (text, ruled, isSame) => {
        const first = [ruling("C1", "unmet", text)];
        const ledger = reviews([before(1), first], [before(1), [ruling("C1", "met", ruled)]]);
        expect(shown(ledger)).toEqual([isSame ? "C1 met" : "C1 unmet"]);
        const noticed = { noticed: [{ text }] };
        const point = reviews([before(1, noticed), [ruling("C1", "met"), ruling("T1", "met", ruled)]]);
        expect(shown(point)[isSame ? 1 : 2]).toBe(isSame ? "T1 met" : "T1 unmet");
      });
      test("a new prompt makes it a new criterion, and the old one stays open", () => {
        const renumbered = [ruling("C1", "met", "the report is sorted")];
        const ledger = reviews([before(1), [ruling("C1", "unmet", "it builds")]], [before(2), renumbered]);
        expect(ledger.criteria.map(({ id, text, status }) => [id, text, status])).toEqual([
          ["C1", "it builds", "unmet"],
          ["C2", "the report is sorted", "met"],
        ]);
      });
      test("renumbered criteria are told apart by their texts", () => {
        const first = [ruling("C1", "unmet", "it builds"), ruling("C2", "unmet", "it is fast")];
        const second = [ruling("C1", "met", "it is fast"), ruling("C2", "unmet", "it builds")];
        expect(shown(reviews([before(1), first], [before(1), second]))).toEqual(["C1 unmet", "C2 met"]);
      });
    });
    test("are unmet if a review says both", () => {
      const both = [ruling("C1", "unmet"), ruling("C1", "met")];
      expect(shown(reviews([before(1), [ruling("C1", "met")]], [before(1), both]))).toEqual(["C1 unmet"]);
      expect(shown(reviews([before(1), [ruling("C1", "met")]], [before(1), both.toReversed()]))).toEqual(["C1 unmet"]);
    });
    describe("that an earlier review called met are outdated for this one", () => {
      const met = { ...newCriterion("C1", "it builds"), status: "met", evidence: "seen" } as const;
      const table: [
        name: string,
        criterion: Criterion,
        rulings: Ruling[],
        files: string | null,
        isOutdated: boolean,
      ][] = [
        ["not with the same files", { ...met, met_files: "a" }, [], "a", false],
        ["with other files", { ...met, met_files: "a" }, [], "b", true],
        ["with files that are not known now", { ...met, met_files: "a" }, [], null, true],
        ["with files that were not known then", { ...met, met_files: null }, [], null, true],
        ["in a record of an older version", met, [], "a", true],
        ["not if it rules on them", { ...met, met_files: "a" }, [ruling("C1", "met", "")], "b", false],
        ["if it drops them without the right to", { ...met, met_files: "a" }, [ruling("C1", "dropped", "")], "b", true],
        ["if it rules on something else", { ...met, met_files: "a" }, [ruling("C1", "met", "x y z")], "b", true],
        ["not if they are not met", { ...met, status: "unmet", met_files: null }, [], "b", false],
      ];
      test.each(table)("%s", (_, criterion, rulings, files, isOutdated) => {
        const ledger = { criteria: [criterion], numbered: 1, noticed: 0, prompts: 1 };
        const after = ruleOn(openLedger(ledger, before(1)), rulings, { disputed: [], files });
        expect(after.outdated).toEqual(isOutdated ? ["C1"] : []);
        expect(after.ruled.includes("C1")).toBe(rulings.some(({ status, text }) => status === "met" && text === ""));
      });
      test("the files are those of the review that ruled on them last", () => {
        const open = openLedger(EMPTY_LEDGER, before(1));
        const { ledger } = ruleOn(open, [ruling("C1", "met")], { disputed: [], files: "a" });
        expect(ledger.criteria).toMatchObject([{ met_files: "a" }]);
      });
    });
    test("keep their last status if a review leaves them out", () => {
      const first = [ruling("C1", "met"), ruling("C2", "unmet")];
      expect(shown(reviews([before(1), first], [before(1), [ruling("C2", "met")]]))).toEqual(["C1 met", "C2 met"]);
      expect(shown(reviews([before(1), first], [before(1), []]))).toEqual(["C1 met", "C2 unmet"]);
    });
    test("can be added and dropped after a new prompt of the user", () => {
      const ledger = reviews(
        [before(1), [ruling("C1", "unmet"), ruling("C2", "met")]],
        [before(2), [ruling("C1", "dropped"), ruling("C3", "unmet")]],
      );
      expect(shown(ledger)).toEqual(["C1 dropped", "C2 met", "C3 unmet"]);
      expect(tally(ledger.criteria)).toBe("1 of 2 met");
    });
    test("of work that is done do not burden the next prompt, and their ids are not used again", () => {
      const ledger = reviews(
        [before(1), [ruling("C1", "met")]],
        [before(2, { isSettled: true }), [ruling("C1", "unmet")]],
      );
      expect(shown(ledger)).toEqual(["C2 unmet"]);
    });
    test("are open again for a second review of the same stop, if the first one dropped them", () => {
      const first = reviews(
        [before(1), [ruling("C1", "unmet"), ruling("C2", "unmet"), ruling("C3", "met")]],
        [before(1), [ruling("C1", "dropped")], ["C1"]],
      );
      const second = [ruling("C2", "dropped"), ruling("C3", "met")];
      const { again } = ruleOn(openLedger(first, before(1)), second, { disputed: ["C2"], files: "tree" });
      expect(shown(again)).toEqual(["C1 dropped", "C2 unmet", "C3 met"]);
      expect(again.criteria.map(({ met_files }) => met_files)).toEqual([null, null, null]);
    });
    test("can be dropped if the agent disputed them", () => {
      const ledger = reviews([before(1), [ruling("C1", "unmet")]], [before(1), [ruling("C1", "dropped")], ["C1"]]);
      expect(shown(ledger)).toEqual(["C1 dropped"]);
      expect(tally(ledger.criteria)).toBeUndefined();
    });
    test("are bounded", () => {
      const many = Array.from({ length: 200 }, (_, index) => ruling("", "met", `text ${index}`));
      expect(reviews([before(1), many]).criteria).toHaveLength(30);
    });
  });

  describe("criteria that the user states", () => {
    const stated = { stated: ["it builds", "it is fast"] };
    test("are the list; a review adds nothing to it", () => {
      const ledger = reviews([before(1, stated), [ruling("C1", "met", ""), ruling("C9", "unmet", "my own wish")]]);
      expect(ledger.criteria.map(({ id, text, status }) => [id, text, status])).toEqual([
        ["C1", "it builds", "met"],
        ["C2", "it is fast", "unmet"],
      ]);
    });
    test("come once for each prompt", () => {
      expect(shown(reviews([before(1, stated), []], [before(1, stated), []], [before(2, stated), []]))).toEqual([
        "C1 unmet",
        "C2 unmet",
      ]);
    });
    test("cannot be dropped by the review that gets them first", () => {
      expect(shown(reviews([before(1, stated), [ruling("C1", "dropped")]]))).toEqual(["C1 unmet", "C2 unmet"]);
    });
  });

  describe("criteria that hold for all work", () => {
    const standing = { standing: ["it builds"] };
    test("are joined by what the first review of each prompt finds in the request", () => {
      const first: Parameters<typeof reviews>[0] = [
        before(1, standing),
        [ruling("C1", "met", ""), ruling("C2", "unmet")],
      ];
      expect(shown(reviews(first, [before(1, standing), [ruling("C3", "unmet")]]))).toEqual(["C1 met", "C2 unmet"]);
      expect(shown(reviews(first, [before(2, standing), [ruling("C3", "unmet")]]))).toEqual([
        "C1 met",
        "C2 unmet",
        "C3 unmet",
      ]);
    });
    test("come again with the prompt after work that is done", () => {
      expect(
        shown(
          reviews([before(1, standing), [ruling("C1", "met", "")]], [before(2, { ...standing, isSettled: true }), []]),
        ),
      ).toEqual(["C2 unmet"]);
    });
    test("and a list in the prompt make up the whole list", () => {
      const both = { ...standing, stated: ["it is fast"] };
      expect(shown(reviews([before(1, both), [ruling("C3", "unmet")]]))).toEqual(["C1 unmet", "C2 unmet"]);
    });
  });

  describe("what ccc noticed", () => {
    const noticed = { noticed: [{ text: "a.test.ts was deleted" }] };
    test("needs a ruling, beside the criteria that the review writes down", () => {
      expect(shown(reviews([before(1, noticed), [ruling("C1", "met")]]))).toEqual(["C1 met", "T1 unmet"]);
      expect(shown(reviews([before(1, noticed), [ruling("C1", "met"), ruling("T1", "met")]]))).toEqual([
        "C1 met",
        "T1 met",
      ]);
    });
    test("keeps its ruling while it stays the same, and vanishes with its cause", () => {
      const first: Parameters<typeof reviews>[0] = [before(1, noticed), [ruling("T1", "met")]];
      expect(shown(reviews(first, [before(1, noticed), []]))).toEqual(["T1 met"]);
      expect(shown(reviews(first, [before(1), []]))).toEqual([]);
      expect(shown(reviews(first, [before(1, { noticed: [{ text: "b.test.ts was deleted" }] }), []]))).toEqual([
        "T2 unmet",
      ]);
    });
    test("stays open after a new prompt, at which it has already happened, until a review accepts it", () => {
      const first: Parameters<typeof reviews>[0] = [before(1, noticed), [ruling("C1", "unmet"), ruling("T1", "unmet")]];
      const second: Parameters<typeof reviews>[0] = [before(2), [ruling("C1", "met"), ruling("C2", "dropped")]];
      const third: Parameters<typeof reviews>[0] = [before(2), [ruling("C2", "met", "")]];
      const ledger = reviews(first, second);
      expect(shown(ledger)).toEqual(["C1 met", "C2 unmet"]);
      expect(ledger.criteria[1]?.text).toBe("undone, or explained by what the user asked for: a.test.ts was deleted");
      expect(shown(reviews(first, second, third))).toEqual(["C1 met", "C2 met"]);
      // The review may still write down what the new prompt asks for.
      expect(openLedger(reviews(first), before(2)).canAdd).toBe(true);
      expect(shown(reviews(first, [before(2, noticed), []]))).toEqual(["C1 unmet", "T1 unmet"]);
      const accepted = [ruling("C1", "unmet"), ruling("T1", "met")];
      expect(shown(reviews([before(1, noticed), accepted], [before(2), []]))).toEqual(["C1 unmet"]);
    });
    test("is to be made true or corrected after a new prompt, if it is a claim of the agent's", () => {
      const claim = { noticed: [{ text: 'the agent says "All tests pass", but none ran' }] };
      expect(openLedger(reviews([before(1, claim), [ruling("T1", "unmet")]]), before(2)).criteria[0]?.text).toBe(
        'made true or corrected, or explained by what the user asked for: the agent says "All tests pass", but none ran',
      );
    });
    test("is ruled on again when its content is another one, or at another prompt", () => {
      const changed = (content: string) => ({ noticed: [{ text: "ci.yml changed (+1 -1)", content }] });
      const first: Parameters<typeof reviews>[0] = [
        before(1, changed("one")),
        [ruling("C1", "unmet"), ruling("T1", "met")],
      ];
      expect(shown(reviews(first, [before(1, changed("one")), []]))).toEqual(["C1 unmet", "T1 met"]);
      expect(shown(reviews(first, [before(1, changed("two")), []]))).toEqual(["C1 unmet", "T1 unmet"]);
      expect(shown(reviews(first, [before(2, changed("one")), []]))).toEqual(["C1 unmet", "T1 unmet"]);
    });
    describe("at a stop without a verdict", () => {
      const seen = (ledger: Ledger, prompts: number, ...texts: string[]) =>
        withNoticed(ledger, { prompts: prompted(prompts), noticed: texts.map((text) => ({ text })) });
      test("stays open until a review rules on it, however many prompts later", () => {
        const first = seen(EMPTY_LEDGER, 1, "a.test.ts was deleted");
        expect(shown(first)).toEqual(["T1 unmet"]);
        const third = seen(seen(first, 2, "b.test.ts was deleted"), 3);
        expect(openLedger(third, before(3)).criteria.map(({ id, text }) => `${id} ${text}`)).toEqual([
          "C1 undone, or explained by what the user asked for: a.test.ts was deleted",
          "C2 undone, or explained by what the user asked for: b.test.ts was deleted",
        ]);
        expect(openLedger(third, before(3))).toMatchObject({ canAdd: true, canDrop: [] });
      });
      test("is gone if the agent undoes it before the user's next prompt", () => {
        const first = seen(EMPTY_LEDGER, 1, "a.test.ts was deleted");
        expect(shown(seen(first, 1))).toEqual([]);
        expect(shown(openLedger(first, before(1)))).toEqual([]);
      });
      test("changes nothing about the criteria, and the next review may still write them down", () => {
        const ruled = reviews([before(1), [ruling("C1", "unmet")]]);
        const after = seen(ruled, 2, "a.test.ts was deleted");
        expect(shown(after)).toEqual(["C1 unmet", "T1 unmet"]);
        expect(openLedger(after, before(2))).toMatchObject({ canAdd: true, canDrop: ["C1"] });
        // A "done" of an earlier prompt settles its criteria, but not what happened since.
        expect(shown(openLedger(after, before(3, { isSettled: true })))).toEqual(["C2 unmet"]);
      });
    });
    test("cannot be dropped", () => {
      expect(shown(reviews([before(1, noticed), [ruling("T1", "dropped")]]))).toEqual(["T1 unmet"]);
    });
  });

  test("a criterion counts the reviews in a row in which it was not met", () => {
    const unmet = [ruling("C1", "unmet")];
    const counts = (...all: Parameters<typeof reviews>) => reviews(...all).criteria.map(countOf);
    const countOf = ({ unmet_reviews, unmet_files }: Criterion) => [unmet_reviews, unmet_files];
    expect(newCriterion("C1", "x").unmet_reviews).toBe(0);
    expect(counts([before(1), unmet], [before(1), unmet])).toEqual([[2, "tree"]]);
    expect(counts([before(1), unmet], [before(1), []])).toEqual([[1, "tree"]]);
    expect(counts([before(1), unmet], [before(1), [ruling("C1", "met")]])).toEqual([[0, null]]);
    expect(counts([before(1), unmet], [before(2), unmet])).toEqual([[1, "tree"]]);
  });
});

describe("stalemate", () => {
  const criterion = (unmet_reviews: number, unmet_files: string | null, status: Criterion["status"] = "unmet") => ({
    ...newCriterion("C1", "x"),
    status,
    unmet_reviews,
    unmet_files,
  });

  describe("agent and reviewer get no further", () => {
    const table: [name: string, before: Criterion, after: Criterion, limit: number, isDeadlocked: boolean][] = [
      ["after three reviews in a row", criterion(2, "a"), criterion(3, "b"), 3, true],
      ["not after two with other files", criterion(1, "a"), criterion(2, "b"), 3, false],
      ["after two with the same files", criterion(1, "a"), criterion(2, "a"), 3, true],
      ["not if the files are not known", criterion(1, null), criterion(2, null), 3, false],
      ["not after the first", criterion(0, null), criterion(1, "a"), 3, false],
      ["never if switched off", criterion(8, "a"), criterion(9, "a"), 0, false],
      ["not by a review that did not rule on it", criterion(3, "a"), criterion(3, "a"), 3, false],
      ["not if it is met now", criterion(2, "a"), criterion(0, null, "met"), 3, false],
    ];
    for (const [name, before, after, limit, isDeadlocked] of table) {
      test(name, () => expect(deadlocked([before], [after], limit)).toHaveLength(isDeadlocked ? 1 : 0));
    }
  });
});
