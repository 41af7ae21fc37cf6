/** What a provider's prompt cache does with a request, in bytes, if it holds an earlier one. */
import type { MessagesRequest, Received } from "../src/sandbox/sandbox.ts";
export interface CachedPrefix {
  /** Read from the cache. */
  readonly cached: number;
  /** Written to the cache: everything else before the request's last cache breakpoint. */
  readonly written: number;
  readonly plain: number;
  /** How much of the earlier request is read again, from 0 to 1. */
  readonly share: number;
}

export function cachedPrefix(earlier: MessagesRequest, later: MessagesRequest): CachedPrefix {
  const [before, after] = [blocksOf(earlier), blocksOf(later)];
  const end = before.findIndex(({ text }, index) => text !== after[index]?.text);
  const shared = end === -1 ? before.length : end;
  const marked = after.findLastIndex(({ isMarked }) => isMarked) + 1;
  return {
    cached: sizeOf(after.slice(0, shared)),
    written: sizeOf(after.slice(shared, Math.max(shared, marked))),
    plain: sizeOf(after.slice(Math.max(shared, marked))),
    share: sizeOf(before.slice(0, shared)) / sizeOf(before),
  };
}

/** How much of the agent's last request before it each review repeats. */
export function reviewShares(received: readonly Received[]): number[] {
  return received.flatMap(({ role, body }, index) => {
    if (role !== "reviewer") return [];
    const agents = received.slice(0, index).findLast((earlier) => earlier.role === "agent");
    return agents === undefined ? [] : [cachedPrefix(agents.body, body).share];
  });
}

interface Block {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The parts of a request in caching order, without its cache breakpoints. */
function blocksOf({ tools = [], system, messages }: MessagesRequest): Block[] {
  const said = messages.flatMap(({ role, content }) => listOf(content).map((block) => ({ role, block })));
  return [...tools, ...listOf(system), ...said].map((block) => {
    const text = JSON.stringify(block, (key, value) => (key === MARK ? undefined : value));
    return { text, isMarked: text !== JSON.stringify(block) };
  });
}

const MARK = "cache_control";

function listOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function sizeOf(blocks: readonly Block[]): number {
  return Buffer.byteLength(blocks.map(({ text }) => text).join(""));
}
