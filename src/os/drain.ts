/**
 * Hands on what a stream says until it ends, or until nobody wants any more. A stream that always has more to say would
 * keep the timers of the whole program waiting, so they get their turn in between.
 */
export async function drain(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  isWanted: () => boolean,
): Promise<void> {
  let rested = performance.now();
  for await (const chunk of stream) {
    if (!isWanted()) return;
    onChunk(chunk);
    if (performance.now() - rested < LONGEST_STINT_MS) continue;
    await new Promise(setImmediate);
    rested = performance.now();
  }
}

const LONGEST_STINT_MS = 50;
