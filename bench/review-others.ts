import type { Received, Turn } from "../src/sandbox/messages-api.ts";
import { provider } from "../tests/harness.ts";
import { DONE, notDone, type SupervisedPlace, supervisedPlace } from "../tests/supervised.ts";
import { type Cost, costOf, newAgent, writeFiles } from "./review-session.ts";

/**
 * What a review by ccc costs, and what Claude Code's own ways to go on until the work is done cost: `/goal`, and Stop hooks of
 * type `prompt` and `agent`. The same session of the real Claude Code for each: 60 tool calls, a first review that sends the
 * agent back, one more call, a second review that accepts. Every reviewer answers at once.
 */

/** What the provider's small model is called. Claude Code uses it for small tasks of its own. */
const SMALL = "small-model";
const CONDITION = "every file is read and the tests pass";

/** A way to have stops reviewed. */
interface Way {
  readonly args: readonly string[];
  readonly supervisor?: object;
  readonly settings?: object;
  readonly isReview: (received: Received) => boolean;
  readonly answer: (isDone: boolean) => Turn;
}

const answered = (isDone: boolean) => ({ ok: isDone, reason: isDone ? "seen" : "read one more file" });
const isReviewer = ({ role }: Received) => role === "reviewer";
const isCondition = ({ role, body }: Received) => role === "helper" && JSON.stringify(body).includes(CONDITION);

const byCcc = (context: string): Way => ({
  args: ["--supervisor", "glm", "-p", "do it"],
  supervisor: { context },
  isReview: isReviewer,
  answer: (isDone) => (isDone ? DONE : notDone("read one more file")),
});

const byHook = (type: string): Pick<Way, "args" | "settings"> => ({
  args: ["glm", "-p", "do it"],
  settings: { hooks: { Stop: [{ hooks: [{ type, prompt: `${CONDITION}: $ARGUMENTS` }] }] } },
});

const answerInText = (isDone: boolean): Turn => ({ say: JSON.stringify(answered(isDone)) });
const answerInSchema = (isDone: boolean): Turn => ({ use: "StructuredOutput", input: answered(isDone) });

const WAYS: Readonly<Record<string, Way>> = {
  "ccc, session": byCcc("session"),
  "ccc, fresh": byCcc("fresh"),
  "/goal": { args: ["glm", "-p", `/goal ${CONDITION}`], isReview: isCondition, answer: answerInText },
  "prompt hook": { ...byHook("prompt"), isReview: isCondition, answer: answerInText },
  "agent hook": { ...byHook("agent"), isReview: isReviewer, answer: answerInSchema },
};

/** The requests of the two reviews. */
async function reviewsOf(
  way: Way,
): Promise<{ readonly reviews: readonly Received[]; readonly costs: readonly Cost[] }> {
  const reviews: Received[] = [];
  await using place: SupervisedPlace = await supervisedPlace(
    (received) => {
      if (received.role === "agent") return agent();
      if (!way.isReview(received)) return { say: "ok" };
      reviews.push(received);
      return way.answer(reviews.length > 1);
    },
    { supervisor: way.supervisor ?? {} },
  );
  const { sandbox } = place;
  const glm = provider(sandbox, "glm-token", { ANTHROPIC_DEFAULT_HAIKU_MODEL: SMALL });
  await place.config({ providers: { glm }, supervisor: way.supervisor ?? {} });
  await place.write(place.at(".claude/settings.json"), way.settings ?? {});
  const agent = newAgent(place);
  await writeFiles(place);
  const { exitCode, stderr } = await place.ccc(way.args);
  if (exitCode !== 0 || reviews.length !== 2)
    throw new Error(`${way.args.join(" ")}: exit code ${exitCode}, ${reviews.length} requests for reviews\n${stderr}`);
  return { reviews, costs: reviews.map((review) => costOf(review, sandbox.received)) };
}

console.log(
  "| reviewer | review | model | tools | request, kB | of the agent's last request, cached | price, tokens |",
);
console.log("| --- | --- | --- | ---: | ---: | ---: | ---: |");
for (const [name, way] of Object.entries(WAYS)) {
  const { reviews, costs } = await reviewsOf(way);
  for (const [index, { bytes, share, price }] of costs.entries()) {
    const body = reviews[index]?.body;
    const model = body?.model === SMALL ? "small" : "the agent's";
    const sizes = [(bytes / 1000).toFixed(0), `${(share * 100).toFixed(0)} %`, price.toFixed(0)];
    console.log(`| ${[name, ["first", "second"][index], model, body?.tools?.length ?? 0, ...sizes].join(" | ")} |`);
  }
}
