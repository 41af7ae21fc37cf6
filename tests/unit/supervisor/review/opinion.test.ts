import { describe, expect, test } from "bun:test";
import { parseJson } from "../../../../src/text/json.ts";
import { type Answer, type MemorySession, startSession, verdict } from "../session-in-memory.ts";

/** A session whose stops are confirmed, unless `supervisor` says otherwise, after a prompt of the user. */
async function prompted(supervisor: object = {}) {
  const session = await startSession({ config: { supervisor: { confirm: true, ...supervisor } } });
  await session.prompt("write notes.txt");
  return session;
}

/** A stop whose reviewers answer like this, in turn. */
async function stopped(session: MemorySession, ...answers: Answer[]) {
  session.reviews.push(...answers);
  const before = session.asked.length;
  const { answer } = await session.stop();
  const { systemMessage, ...block } = answer;
  return { systemMessage: String(systemMessage), block, asked: session.asked.slice(before) };
}

const ruled = (status: string, evidence: string, id = "C1") => ({
  criteria: [{ id, text: "notes.txt exists", status, evidence }],
});
const FORK_DONE = verdict(true, "It is there.", ruled("met", "notes.txt is listed"));
const DONE = verdict(true, "I have seen it.", ruled("met", "notes.txt has two lines"));
const NOT_DONE = verdict(false, "notes.txt is empty.", ruled("unmet", "notes.txt has no line"));
const used = (answer: Answer, input_tokens: number): Answer => ({
  lines: answer.lines?.map((line) => ({ ...Object(line), usage: { input_tokens, output_tokens: 0 } })) ?? [],
});
const isFork = ({ program }: MemorySession["asked"][number]) => program.args.includes("--fork-session");
const messageIn = (request: MemorySession["asked"][number] | undefined) => String(request?.stdin);

describe('a "done" of a reviewer that has the conversation', () => {
  test("is confirmed by a fresh review, which rules on the same criteria and knows the first evidence as a claim", async () => {
    const session = await prompted();
    const { asked, systemMessage, block } = await stopped(session, FORK_DONE, DONE);
    expect(asked.map(isFork)).toEqual([true, false]);
    const message = messageIn(asked[1]);
    expect(message).toContain("- C1: notes.txt exists (the first reviewer claims: met, notes.txt is listed)");
    expect(message).toContain("A first reviewer, who had the agent's conversation, says that the work is done.");
    expect(message).toContain('A "done" needs your own ruling and evidence on each.');
    expect(systemMessage).toBe("Review 1 of 10: done, 1 of 1 met, confirmed by glm. I have seen it.");
    expect(block).toEqual({});
    expect(session.record().state.read()).toMatchObject({
      count: 1,
      is_settled: true,
      ledger: { numbered: 1, criteria: [{ id: "C1", status: "met", evidence: "notes.txt has two lines" }] },
    });
  });

  test("that is not confirmed is one round, and the agent gets the second feedback alone", async () => {
    const session = await prompted();
    const { systemMessage, block } = await stopped(session, FORK_DONE, NOT_DONE);
    expect(systemMessage).toBe("Review 1 of 10: not done, 0 of 1 met, not confirmed by glm");
    expect(JSON.stringify(block)).toContain("notes.txt is empty.");
    expect(JSON.stringify(block)).not.toContain("It is there.");
    expect(session.record().state.read()).toMatchObject({
      count: 1,
      is_settled: false,
      feedback: ["notes.txt is empty."],
    });
    await stopped(session, FORK_DONE, DONE);
    expect(messageIn(session.asked[2])).toContain("last review: unmet, notes.txt has no line");
    expect(session.record().state.read()).toMatchObject({ count: 2, is_settled: true, ledger: { numbered: 1 } });
  });

  test("may be confirmed with what only the user can do", async () => {
    const { systemMessage } = await stopped(
      await prompted(),
      FORK_DONE,
      verdict(false, "Which file?", { needs_user: true }),
    );
    expect(systemMessage).toBe("Needs you: Which file? (1 of 1 met after 1 review)");
  });

  test("lacks a ruling as long as only the first reviewer has made it", async () => {
    const session = await prompted();
    const silent = { ...verdict(true, "Fine."), later: [DONE.lines ?? []] };
    const { systemMessage } = await stopped(session, FORK_DONE, silent);
    expect(session.questions[0]).toContain("it does not rule on C1: only an earlier review did");
    expect(systemMessage).toStartWith("Review 1 of 10: done, 1 of 1 met, confirmed by glm.");
  });

  test("is not reviewed, with the reason, if nobody can confirm it", async () => {
    const session = await prompted();
    const { systemMessage, block } = await stopped(session, FORK_DONE, { exitCode: 1, stderr: "no key" });
    expect(systemMessage).toStartWith(
      "NOT reviewed: a reviewer says that the work is done, but no fresh review could confirm it (supervisor.confirm): ",
    );
    expect(systemMessage).toContain("no key");
    expect(block).toEqual({});
    expect(session.record().state.read()).toMatchObject({ count: 1, is_settled: false });
  });

  test("ends in a stalemate if it is never confirmed, although the first reviewer is content each time", async () => {
    const session = await prompted({ stalemate: 3 });
    const rounds = [];
    for (let round = 0; round < 3; round++) rounds.push((await stopped(session, FORK_DONE, NOT_DONE)).systemMessage);
    expect(rounds[1]).toBe("Review 2 of 10: not done, 0 of 1 met, not confirmed by glm");
    expect(rounds[2]).toStartWith(
      "Stopped after 3 reviews: NOT done, 0 of 1 met. The last reviews brought no progress.",
    );
  });

  test("and its confirmation count for the budget; without tokens left, nobody is asked", async () => {
    const session = await prompted({ budget_tokens: 5_000 });
    await stopped(session, used(FORK_DONE, 4_000), used(NOT_DONE, 500));
    expect(session.record().state.read()?.tokens).toBe(4_500);
    const { asked, systemMessage } = await stopped(session, used(FORK_DONE, 500));
    expect(asked).toHaveLength(1);
    expect(systemMessage).toBe(
      "Stopped after 5,000 tokens for this prompt (supervisor.budget_tokens): NOT done, 1 of 1 met. Last feedback: A reviewer says that the work is done, but no tokens were left for a fresh review to confirm it.",
    );
  });

  test("that drops a disputed criterion drops it for good only if the second review does", async () => {
    const session = await prompted();
    await stopped(session, NOT_DONE);
    const disputed = async (...answers: Answer[]) => {
      session.reviews.push(...answers);
      return session.stop(undefined, { last_assistant_message: "C1 disputed: nobody asked for lines" });
    };
    const dropped = verdict(true, "Right, nobody asked.", ruled("dropped", "the prompt names no lines"));
    await disputed(dropped, NOT_DONE);
    expect(session.record().state.read()?.ledger?.criteria).toMatchObject([{ status: "unmet", unmet_reviews: 2 }]);
    const { answer } = await disputed(dropped, dropped);
    expect(answer.systemMessage).toStartWith("Review 3 of 10: done, confirmed by glm.");
  });

  test("may be extended by the second review, which names what the first has overlooked", async () => {
    const session = await prompted();
    const more = [
      ...ruled("met", "notes.txt has two lines").criteria,
      { text: "it is sorted", status: "unmet", evidence: "" },
    ];
    await stopped(session, FORK_DONE, verdict(false, "Sort it.", { criteria: more }));
    expect(messageIn(session.asked[1])).toContain("Add what the user asked for and the list lacks, from C2 on.");
    expect(
      session
        .record()
        .state.read()
        ?.ledger?.criteria.map(({ id, status }) => `${id} ${status}`),
    ).toEqual(["C1 met", "C2 unmet"]);
  });
});

test("the record of a stop has both reviews, and the status line who confirmed", async () => {
  const session = await prompted({ confirm: "kimi" });
  session.reviews.push({ ...used(FORK_DONE, 100), before: () => session.pass(30) });
  session.reviews.push({ ...used(DONE, 50), before: () => session.pass(28) });
  const { answer } = await session.stop();
  expect(answer.systemMessage).toStartWith("Review 1 of 10: done, 1 of 1 met, confirmed by kimi (58 s, 150 tokens).");
  const [, entry] = session.record().stops.read() ?? [];
  expect(entry).toMatchObject({
    outcome: "done",
    round: 1,
    reviewer: "glm",
    context: "shared",
    seconds: 58,
    input_tokens: 150,
    confirmation: { reviewer: "kimi", verdict: "done", instead: null, seconds: 28, input_tokens: 50 },
  });
  const now = Object.entries(session.files.content).find(([path]) => path.endsWith("/now.json"));
  expect(parseJson(now?.[1] ?? "")).toEqual({ outcome: "done", met: 1, of: 1, confirmed_by: "kimi" });
});

describe("nobody else is asked", () => {
  const cases: [when: string, supervisor: object, answer: Answer][] = [
    ['after a "not done"', {}, NOT_DONE],
    ["if only the user can continue", {}, verdict(false, "Which file?", { needs_user: true })],
    ["if supervisor.confirm is false", { confirm: false }, DONE],
    ["after a review that was fresh already", { context: "fresh" }, DONE],
    ["after that of another provider, which is fresh", { provider: "kimi" }, DONE],
  ];
  test.each(cases)("%s", async (_, supervisor, answer) => {
    const { asked, systemMessage } = await stopped(await prompted(supervisor), answer);
    expect(asked).toHaveLength(1);
    expect(systemMessage).not.toContain("confirmed");
  });
});

describe("the one that confirms", () => {
  const settingsOf = ({ files }: MemorySession, request: MemorySession["asked"][number] | undefined) => {
    const { args = [] } = request?.program ?? {};
    return parseJson(files.read(args[args.indexOf("--settings") + 1] ?? "") ?? "");
  };

  test("is the provider and model that supervisor.confirm names, with a settings file of its own", async () => {
    const session = await prompted({ confirm: "kimi:k3" });
    const { asked, systemMessage } = await stopped(session, FORK_DONE, DONE);
    expect(settingsOf(session, asked[0])).toMatchObject({ env: { ANTHROPIC_BASE_URL: "https://glm.test" } });
    expect(settingsOf(session, asked[1])).toMatchObject({
      env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_MODEL: "k3" },
    });
    expect(systemMessage).toContain("confirmed by kimi:k3");
  });

  test("is replaced by a fallback if it is unavailable, and the user learns of it", async () => {
    const session = await prompted({ confirm: "kimi:k3", fallback: ["kimi"] });
    const { asked, systemMessage } = await stopped(session, FORK_DONE, { exitCode: 1, stderr: "no key" }, DONE);
    expect(asked.map(isFork)).toEqual([true, false, false]);
    expect(systemMessage).toContain("confirmed by kimi.");
    expect(systemMessage).toContain("Confirmed by kimi, because others could not. kimi:k3: ");
  });

  test("is one of the reviewers themselves if it was named only after the launch", async () => {
    const session = await prompted();
    const path = `${session.paths.folder}/ccc.json`;
    session.files.content[path] = (session.files.content[path] ?? "").replace('"confirm":true', '"confirm":"kimi"');
    expect((await stopped(session, FORK_DONE, DONE)).systemMessage).toContain("confirmed by glm");
  });

  test("must be a provider in ccc.json", async () => {
    const { stderr, exitCode } = await startSession({ config: { supervisor: { confirm: "qwen:max" } } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'supervisor.confirm in /home/u/.claude/ccc.json names "qwen", which is not a provider there',
    );
  });

  test("is named when the session starts", async () => {
    const { stderr } = await startSession({ config: { supervisor: { confirm: "kimi:k3", fallback: ["glm:air"] } } });
    expect(stderr).toContain("reviewed by glm, else by glm (air), confirmed by kimi (k3), at most 10 reviews");
  });
});
