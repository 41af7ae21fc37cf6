import type { MessagesRequest } from "../src/sandbox/turns.ts";

/** How much of an earlier request a later one repeats from its start, as a provider's prompt cache sees it: from 0 to 1. */
export function sharedPrefix(earlier: MessagesRequest, later: MessagesRequest): number {
  const [before, after] = [blocksOf(earlier), blocksOf(later)];
  const end = before.findIndex((block, index) => block !== after[index]);
  return sizeOf(end === -1 ? before : before.slice(0, end)) / sizeOf(before);
}

/** The parts of a request in the order in which they are cached. */
function blocksOf({ tools = [], system, messages }: MessagesRequest): string[] {
  const said = messages.flatMap(({ role, content }) => listOf(content).map((block) => ({ role, block })));
  return [...tools, ...listOf(system), ...said].map((block) => JSON.stringify(block, withoutCacheMarks));
}

function listOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/** Where a request asks for caching is not part of what is cached. */
function withoutCacheMarks(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}

export function sizeOf(blocks: readonly string[]): number {
  return Buffer.byteLength(blocks.join(""));
}
