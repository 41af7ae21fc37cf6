/**
 * Passes on the chunks of a stream until it ends or `isWanted` returns false. Yields to the event loop now and then: a
 * stream that never pauses would starve all timers.
 */
export async function drain(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  isWanted: () => boolean,
): Promise<void> {
  let yieldedAt = performance.now();
  for await (const chunk of stream) {
    if (!isWanted()) return;
    onChunk(chunk);
    if (performance.now() - yieldedAt < YIELD_AFTER_MS) continue;
    await new Promise(setImmediate);
    yieldedAt = performance.now();
  }
}

const YIELD_AFTER_MS = 50;
