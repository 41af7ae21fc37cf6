import { join } from "node:path";
import type { MessagesRequest, Received, Turn } from "../src/sandbox/messages-api.ts";
import type { Place } from "../tests/harness.ts";
import { type CachedPrefix, cachedPrefix } from "../tests/prefix.ts";

/** The session that reviews are compared on, and what a request of a review costs. */

const CALLS = 60;
const FILE_BYTES = 6_000;

/** Relative to a token that is not cached. */
const PRICE = { cached: 0.1, written: 1.25, plain: 1 };

export interface Cost {
  readonly bytes: number;
  /** How much of the agent's last request is read from the cache, from 0 to 1. */
  readonly share: number;
  /** In tokens that are not cached, at four bytes a token. */
  readonly price: number;
}

/** An agent that reads 60 files and says that it is done; when it is sent back, it reads one more and says so again. */
export function newAgent(place: Pick<Place, "project">): () => Turn {
  let turns = 0;
  return () => {
    const turn = turns++;
    if (turn === CALLS || turn === CALLS + 2) return { say: "Everything is done, and the tests pass." };
    return { use: "Read", input: { file_path: join(place.project, `file-${turn % CALLS}.txt`) } };
  };
}

export async function writeFiles(place: Place): Promise<void> {
  for (let index = 0; index < CALLS; index++) {
    const lines = Array.from({ length: FILE_BYTES / 40 }, (_, line) => `file ${index}, line ${line}`.padEnd(39, "."));
    await place.write(join(place.project, `file-${index}.txt`), lines.join("\n"));
  }
}

/** The cost of a request, if the provider keeps every earlier one to the same model in its cache. */
export function costOf(review: Received, received: readonly Received[]): Cost {
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
