import { expect, spyOn, test } from "bun:test";
import { drain } from "../../../src/os/drain.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

/** A stream of so many chunks, which never pauses. */
function streamOf(count: number): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull: (controller) => (next < count ? controller.enqueue(bytes(next++ % 256)) : controller.close()),
  });
}

test("all chunks are passed on, in their order", async () => {
  const chunks: Uint8Array[] = [];
  await drain(
    streamOf(3),
    (chunk) => chunks.push(chunk),
    () => true,
  );
  expect(chunks).toEqual([bytes(0), bytes(1), bytes(2)]);
});

test("a chunk that is not wanted any more ends it, and is not passed on", async () => {
  const chunks: Uint8Array[] = [];
  await drain(
    streamOf(Number.POSITIVE_INFINITY),
    (chunk) => chunks.push(chunk),
    () => chunks.length < 2,
  );
  expect(chunks).toEqual([bytes(0), bytes(1)]);
});

test("timers fire while a stream that never pauses is read", async () => {
  let hasFired = false;
  setTimeout(() => {
    hasFired = true;
  }, 0);
  await drain(
    streamOf(Number.POSITIVE_INFINITY),
    () => {},
    () => !hasFired,
  );
  expect(hasFired).toBe(true);
});

test("reading goes on without a break as long as the time is short", async () => {
  using _clock = spyOn(performance, "now").mockImplementation(() => 0);
  using breaks = spyOn(globalThis, "setImmediate");
  await drain(
    streamOf(100),
    () => {},
    () => true,
  );
  expect(breaks).not.toHaveBeenCalled();
});
