import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { MessagesRequest, Received, Turn } from "../src/sandbox/sandbox.ts";
import { CCC, type Place, provider } from "../tests/harness.ts";
import { type CachedPrefix, cachedPrefix } from "../tests/prefix.ts";
import { newScreen } from "../tests/screen.ts";
import { DONE, notDone, SAYS_DONE, type SupervisedPlace, supervisedPlace } from "../tests/supervised.ts";

/**
 * What a review costs: the size of its request, how much of it the provider's prompt cache already holds from the agent's
 * last request, and its price, for a session of 60 tool calls with the real Claude Code and a scripted model.
 *
 * With `--others`: the same for Claude Code's own ways to continue until the work is done, `/goal` and Stop hooks of type
 * `prompt` and `agent`. A first review sends the agent back, it makes one more call, and a second review accepts.
 */

async function compareContexts(): Promise<void> {
  console.log("| session | reviewer | request, kB | of the agent's last request, cached | price, tokens | relative |");
  console.log("| --- | --- | ---: | ---: | ---: | ---: |");
  for (const session of Object.keys(SESSIONS) as (keyof typeof SESSIONS)[]) {
    const second = await confirming(session);
    const costs: Record<string, Cost> = {
      ...(await run(session, "session")),
      ...(await run(session, "fresh")),
      [CONFIRMING]: second,
    };
    const before = costs.before?.price ?? 0;
    for (const [reviewer, { bytes, share, price }] of Object.entries(costs)) {
      const cells = [
        (bytes / 1000).toFixed(0),
        `${(share * 100).toFixed(0)} %`,
        price.toFixed(0),
        (price / before).toFixed(3),
      ];
      console.log(`| ${session} | ${reviewer} | ${cells.join(" | ")} |`);
    }
    claim(`${session}: session shares at least 95 %`, (costs.session?.share ?? 0) >= 0.95);
    claim(`${session}: session costs at most a tenth`, (costs.session?.price ?? before) <= before / 10);
    claim(`${session}: fresh is at most 40 kB`, (costs.fresh?.bytes ?? 40_001) <= 40_000);
    const [inSession, inFresh] = [costs[`session${ASKED_AGAIN}`]?.price, costs[`fresh${ASKED_AGAIN}`]?.price];
    claim(`${session}: a question in the session costs at most a tenth`, (inSession ?? before) <= before / 10);
    claim(
      `${session}: a question to a fresh reviewer costs at most a fifth of its review`,
      cheap(inFresh, costs.fresh),
    );
    const confirmed = (costs.session?.price ?? before) + second.price;
    console.log(
      `| ${session} | session and ${CONFIRMING}, one round |  |  | ${confirmed.toFixed(0)} | ${(confirmed / before).toFixed(3)} |`,
    );
    claim(`${session}: the confirming review is at most 30 kB`, second.bytes <= 30_000);
    claim(`${session}: a confirmed round costs at most 0.16`, confirmed <= before * 0.16);
  }
}

const CONFIRMING = "confirming";

/** The fresh review of a fork's "done", with seven criteria to rule on. */
async function confirming(session: keyof typeof SESSIONS): Promise<Cost> {
  const criteria = Array.from({ length: 7 }, (_, at) => ({
    id: `C${at + 1}`,
    text: `file-${at}.txt is read, and what it says about the request is in the answer that the agent gives at the end`,
    status: "met",
    evidence: `file-${at}.txt, line 12: the agent opened it with Read, and its answer repeats what that line says about the request`,
  }));
  await using place = await supervisedPlace(
    ({ role }) => {
      if (role === "agent") return agent();
      return role === "reviewer" ? { verdict: { completed: true, feedback: "seen", criteria } } : { say: "ok" };
    },
    { supervisor: { context: "session", confirm: true } },
  );
  const agent = newAgent(place);
  await writeFiles(place);
  await SESSIONS[session](place);
  const requests = place.sandbox.received.filter(isReviewer);
  const [fork, second] = requests;
  if (requests.length !== 2 || second === undefined || fork === undefined)
    throw new Error(`${requests.length} requests for reviews`);
  return costOf(second, place.sandbox.received);
}

const ASKED_AGAIN = ", asked again";

function cheap(price: number | undefined, review: Cost | undefined): boolean {
  return price !== undefined && review !== undefined && price <= review.price / 5;
}

function claim(what: string, holds: boolean): void {
  if (holds) return;
  console.log(`\nTOO EXPENSIVE: ${what} does not hold\n`);
  process.exitCode = 1;
}

async function compareWithOthers(): Promise<void> {
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
}

const SESSIONS = {
  "-p, hook": (place) => place.ccc(["--supervisor", "glm", "-p", "do it"]),
  "-p, loop": (place) => place.ccc(["--supervisor", "--engine", "loop", "glm", "do it"]),
  "terminal, hook": async (place) => {
    await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
    await screen.shows("❯");
    await screen.submit("do it");
    await screen.shows(SAYS_DONE);
  },
} satisfies Record<string, (place: SupervisedPlace) => Promise<unknown>>;

async function run(session: keyof typeof SESSIONS, context: "session" | "fresh"): Promise<Record<string, Cost>> {
  await using place = await supervisedPlace(
    ({ role, body }) => {
      if (role === "agent") return agent();
      if (role !== "reviewer") return { say: "ok" };
      // Its first answer has no verdict.
      const isAskedAgain = JSON.stringify(body.messages.at(-1)).includes("Your last answer does not count yet");
      return isAskedAgain || isAlone ? DONE : { say: "Looks fine to me." };
    },
    { supervisor: { context } },
  );
  let isAlone = false;
  const agent = newAgent(place);
  await writeFiles(place);
  await SESSIONS[session](place);
  const costs = { [context]: firstReview(place), [context + ASKED_AGAIN]: lastReview(place) };
  if (context === "fresh") return costs;
  isAlone = true;
  await reviewAsBefore(place);
  return { before: lastReview(place), ...costs };
}

/** The standalone hook: a fork that answers in a schema. */
async function reviewAsBefore(place: SupervisedPlace): Promise<void> {
  const [session_id] = await readdir(place.at(".claude/ccc/sessions"));
  const settings = (await readdir(place.at(".claude/ccc"))).find((name) => name.startsWith("settings-glm-supervisor"));
  await place.ccc(["supervisor-hook", "--settings", place.at(".claude/ccc", settings ?? "")], {
    stdin: JSON.stringify({ session_id, cwd: place.project }),
  });
}

function firstReview({ sandbox: { received } }: SupervisedPlace): Cost {
  return costOfReview(received.find(isReviewer), received);
}

function lastReview({ sandbox: { received } }: SupervisedPlace): Cost {
  return costOfReview(received.findLast(isReviewer), received);
}

function costOfReview(review: Received | undefined, received: readonly Received[]): Cost {
  if (review === undefined) throw new Error("there was no review");
  return costOf(review, received);
}

/** The provider's small model, which Claude Code uses for small internal tasks. */
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
  supervisor: { context, confirm: false },
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

const CALLS = 60;
const FILE_BYTES = 6_000;

/** Relative to an uncached token. */
const PRICE = { cached: 0.1, written: 1.25, plain: 1 };

interface Cost {
  readonly bytes: number;
  /** How much of the agent's last request is read from the cache, from 0 to 1. */
  readonly share: number;
  /** In uncached tokens, at four bytes a token. */
  readonly price: number;
}

/** An agent that reads 60 files and says that it is done; sent back, it reads one more and says so again. */
function newAgent(place: Pick<Place, "project">): () => Turn {
  let turns = 0;
  return () => {
    const turn = turns++;
    if (turn === CALLS || turn === CALLS + 2) return { say: "Everything is done, and the tests pass." };
    return { use: "Read", input: { file_path: join(place.project, `file-${turn % CALLS}.txt`) } };
  };
}

async function writeFiles(place: Place): Promise<void> {
  for (let index = 0; index < CALLS; index++) {
    const lines = Array.from({ length: FILE_BYTES / 40 }, (_, line) => `file ${index}, line ${line}`.padEnd(39, "."));
    await place.write(join(place.project, `file-${index}.txt`), lines.join("\n"));
  }
}

/** The cost of a request, if the provider keeps every earlier one to the same model in its cache. */
function costOf(review: Received, received: readonly Received[]): Cost {
  const earlier = received.slice(0, received.indexOf(review));
  const agents = earlier.findLast(({ role }) => role === "agent");
  if (agents === undefined) throw new Error("there was no agent before the review");
  const caches = earlier.filter(({ body }) => body.model === review.body.model);
  const prefixes = caches.map(({ body }) => cachedPrefix(body, review.body));
  const none = cachedPrefix(NOTHING, review.body);
  return {
    bytes: none.written + none.plain,
    share: caches.includes(agents) ? cachedPrefix(agents.body, review.body).share : 0,
    price: Math.min(...[none, ...prefixes].map(priceOf)),
  };
}

const NOTHING: MessagesRequest = { model: "", system: [], messages: [] };

function priceOf({ cached, written, plain }: CachedPrefix): number {
  return (cached * PRICE.cached + written * PRICE.written + plain * PRICE.plain) / 4;
}

if (process.argv.includes("--others")) await compareWithOthers();
else await compareContexts();
