import { expect, test } from "bun:test";
import { askServer } from "../../../../src/commands/validate/ask-server.ts";

/** What is read of an answer that arrives in these pieces, and perhaps never ends. */
async function body(pieces: readonly Uint8Array[], ends: boolean): Promise<string> {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      if (ends) controller.close();
    },
  });
  const request = { url: "https://x.test/v1/messages", headers: {} };
  return (await askServer(request, {}, async () => new Response(stream), 1000)).body;
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("a character that arrives in two pieces is one", async () => {
  const text = bytes("余额不足");
  expect(await body([text.slice(0, 4), text.slice(4)], true)).toBe("余额不足");
});

test("an answer that never ends is read as far as necessary", async () => {
  expect(await body([bytes("a".repeat(65_000)), bytes("b".repeat(536))], false)).toEndWith("b");
});
