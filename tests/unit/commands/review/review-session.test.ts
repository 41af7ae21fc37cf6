import { describe, expect, test } from "bun:test";
import type { SessionFacts } from "../../../../src/claude/transcript.ts";
import {
  chooseReviewer,
  findSession,
  interruptibleWorld,
  type ReviewerInput,
} from "../../../../src/commands/review/review-session.ts";
import type { Files } from "../../../../src/os/files.ts";
import { plannedReviewers, planSupervision } from "../../../../src/supervisor/setup/supervision.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

describe("the reviewer", () => {
  const PROVIDERS = { glm: {}, kimi: {}, qwen: {} };

  /** Who is asked, in order. A star marks the agent's own provider and model. */
  function chosen(input: Partial<ReviewerInput>, supervisor: object = {}) {
    const loaded = {
      path: "/c/ccc.json",
      isStamped: true,
      stamp: "",
      config: { providers: PROVIDERS, supervisor },
      providers: new Map(Object.entries(PROVIDERS)),
    };
    const { agent, supervision } = chooseReviewer(
      { provider: undefined, model: undefined, ranOn: ["glm"], agentsModel: "m", current: "qwen", ...input },
      planSupervision(loaded, { self: "/bin/ccc", platform: "linux" }),
    );
    return plannedReviewers(agent, supervision).map(({ label, isAgents }) => `${label}${isAgents ? "*" : ""}`);
  }

  describe("who reviews", () => {
    const USUAL = { provider: "kimi", model: "k3", fallback: ["qwen"] };
    test.each([
      ["the provider that the session ran on", {}, {}, ["glm*"]],
      ["the current one if that is not known", { ranOn: [] }, {}, ["qwen"]],
      ["the current one among several that have the model", { ranOn: ["kimi", "qwen"] }, {}, ["qwen*"]],
      ["the one in ccc.json, and its fallback", {}, USUAL, ["kimi:k3", "qwen"]],
      ["the agent's provider with the model in ccc.json", {}, { model: "x" }, ["glm:x"]],
      ["the named provider alone, with its own model", { provider: "glm" }, USUAL, ["glm*"]],
      ["the usual one by name keeps its model", { provider: "kimi" }, USUAL, ["kimi:k3"]],
      ["the named model of the usual provider", { model: "k2" }, USUAL, ["kimi:k2"]],
      ["the named provider and model", { provider: "qwen", model: "q" }, USUAL, ["qwen:q"]],
      [
        "the named one, whatever the session ran on",
        { provider: "kimi", ranOn: ["glm", "qwen"], current: "kimi" },
        {},
        ["kimi"],
      ],
    ])("%s", (_, input, supervisor, wanted) => expect(chosen(input, supervisor)).toEqual(wanted));

    test("several providers with the model are an error that asks which one", () =>
      expect(() => chosen({ ranOn: ["glm", "kimi"] })).toThrow(
        "this session ran on glm or kimi: they have the same model, m",
      ));
  });
});

describe("the session", () => {
  const A = "aaaaaaaa-0000-4000-8000-000000000001";
  const A2 = "aaaabbbb-0000-4000-8000-000000000002";
  const B = "bbbbbbbb-0000-4000-8000-000000000003";
  const OTHER = "cccccccc-0000-4000-8000-000000000004";
  const B_ELSEWHERE = "bbbbbbbb-0000-4000-8000-000000000006";
  const EMPTY = "dddddddd-0000-4000-8000-000000000005";

  const PLACE = { cwd: "/work/my-app", env: { HOME: "/h" }, platform: "linux" } as const;
  const HERE = "/h/.claude/projects/-work-my-app";

  const PROMPT = { id: undefined, uuid: undefined, byUser: true, namesSender: true, isQueued: false, text: "do it" };
  const WHOLE: SessionFacts = {
    folders: [PLACE.cwd],
    cwd: PLACE.cwd,
    isTerminal: true,
    hasAnswer: true,
    prompts: [PROMPT],
  };

  const FACTS: Readonly<Record<string, Partial<SessionFacts>>> = {
    [OTHER]: { folders: ["/work/other app"] },
    [EMPTY]: { folders: [], prompts: [], hasAnswer: false },
  };

  /** Sessions by their age in minutes. */
  function find(
    word: string | undefined,
    ages: Readonly<Record<string, number>>,
    changes: Partial<Files> = {},
    cwd?: string,
  ) {
    const path = (id: string) =>
      id === OTHER || id === B_ELSEWHERE ? `/h/.claude/projects/-work-other-app/${id}.jsonl` : `${HERE}/${id}.jsonl`;
    const files = memoryFiles({
      ...Object.fromEntries(Object.keys(ages).map((id) => [path(id), "{}"])),
      "/h/.claude/projects/-work-my-app": null,
      "/h/.claude/projects/-work-other-app": null,
    });
    const idOf = (transcript: string) => transcript.replace(/^.*\/(.*)\.jsonl$/, "$1");
    const modified = (transcript: string) =>
      idOf(transcript) in ages ? 1e6 - (ages[idOf(transcript)] ?? 0) : undefined;
    const read = async (transcript: string) => ({ ...WHOLE, ...FACTS[idOf(transcript)] });
    return findSession(word, { ...files, modified, ...changes }, { ...PLACE, ...(cwd && { cwd }) }, read);
  }

  async function failure(found: Promise<unknown>) {
    const error = await found.then(
      () => undefined,
      (reason: Error & { advice?: string; exitCode?: number }) => reason,
    );
    return { message: error?.message, advice: error?.advice, exitCode: error?.exitCode };
  }

  describe("the session to review", () => {
    test.each([
      ["the last one in this folder", undefined, { [A]: 5, [B]: 2 }, B],
      ["not one that has no conversation yet", undefined, { [A]: 5, [EMPTY]: 1 }, A],
      ["the one with this id", A, { [A]: 5, [B]: 2 }, A],
      ["the one whose id begins like this, in any case", "AAAAAA", { [A]: 5, [A2]: 1, [B]: 2 }, A],
      ["the one in this folder, although one elsewhere begins alike", "bbbb", { [B]: 5, [B_ELSEWHERE]: 1 }, B],
    ])("%s", async (_, word, ages, wanted) => expect((await find(word, ages)).id).toBe(wanted));

    test("not one of another folder whose name differs only in punctuation", async () => {
      const { exitCode, message } = await failure(find(undefined, { [A]: 1 }, {}, "/work/my_app"));
      expect({ exitCode, message }).toEqual({
        exitCode: 4,
        message: "Claude Code has no session with an answer in /work/my_app, so there is nothing to review",
      });
    });

    test.each([
      [
        "no session at all",
        undefined,
        {},
        4,
        /^Claude Code has no session with an answer in \/work\/my-app,/,
        /^Start one/,
      ],
      ["an empty session", EMPTY, { [EMPTY]: 1 }, 4, /^session d.* has no prompt of yours,/, undefined],
      ["an unknown id", "ffff", { [A]: 1 }, 2, /^no session begins with "ffff"$/, /^The last one in this folder is a/],
      [
        "an ambiguous beginning",
        "aaaa",
        { [A]: 1, [A2]: 2 },
        2,
        /^2 sessions begin with "aaaa"$/,
        /^Type more of the id: a/,
      ],
      [
        "a session of another folder",
        "cccc",
        { [A]: 1, [OTHER]: 2 },
        2,
        /^session c.* belongs to another folder: \/work\/other app$/,
        /^Review it there: cd '\/work\/other app' && ccc review c/,
      ],
      ["no id", "", { [A]: 1 }, 2, /^no session begins with ""$/, /^The last/],
    ])("%s is an error", async (_, word, ages, exitCode, message, advice) => {
      const found = await failure(find(word, ages));
      expect(found.exitCode).toBe(exitCode);
      expect(found.message).toMatch(message);
      if (advice === undefined) expect(found.advice).toBeUndefined();
      else expect(found.advice).toMatch(advice);
    });

    test("a folder above that has one is named", async () =>
      expect((await failure(find(undefined, { [A]: 1 }, {}, "/work/my-app/src/deep"))).advice).toBe(
        "There is one in /work/my-app: cd /work/my-app && ccc review",
      ));

    test.each([undefined, A])("a transcript that cannot be read is reported (%p)", async (word) => {
      const entry = () => ({ kind: "file", size: 1, modified: 0, changed: 0, isReadable: false }) as const;
      const { message, exitCode } = await failure(find(word, { [A]: 1 }, { entry }));
      expect({ message, exitCode }).toEqual({
        message: `cannot read ${HERE}/${A}.jsonl: permission denied`,
        exitCode: 1,
      });
    });
  });
});

describe("interruptible world", () => {
  test("after a signal no program starts any more, and the first signal counts", async () => {
    let ran = 0;
    const listeners = new Set<(signal: EndSignal) => void>();
    const { world } = fakeWorld({
      run: async () => {
        ran++;
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const interruptible = interruptibleWorld(world);
    const request = {
      program: { file: "/bin/x", args: [], env: {} },
      cwd: "/",
      stdin: "",
      timeoutMs: undefined,
      onLine: () => false,
    };
    expect(await interruptible.world.run(request)).toMatchObject({ exitCode: 0, ending: "exited" });
    expect(interruptible.signal()).toBeUndefined();
    for (const name of ["SIGTERM", "SIGINT"] as const) for (const listener of listeners) listener(name);
    expect(await interruptible.world.run(request)).toEqual({ exitCode: null, ending: "interrupted", stderr: "" });
    expect({ ran, signal: interruptible.signal() }).toEqual({ ran: 1, signal: "SIGTERM" });
    interruptible.stopListening();
    expect(listeners.size).toBe(0);
  });
});
