import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { listenToTyping } from "../../../src/terminal/typing.ts";

/** A terminal in line mode: the user types whole lines. */
function terminal() {
  const stdin = Object.assign(new PassThrough(), { unref: () => {} });
  const asked: string[] = [];
  const sent: string[] = [];
  const typing = listenToTyping(
    stdin as unknown as NodeJS.Process["stdin"],
    (text) => asked.push(text),
    (line) => sent.push(line),
  );
  return { typing, asked, sent, stdin, type: (text: string) => stdin.emit("data", Buffer.from(text)) };
}

test("each line is a message, and empty ones are none", () => {
  const { typing, type, sent } = terminal();
  type("  one \n");
  type("\n");
  type("two, in ");
  type("parts\n");
  expect(sent).toEqual(["one", "two, in parts"]);
  expect(typing.take()).toEqual(["one", "two, in parts"]);
  expect(typing.take()).toEqual([]);
});

test("lines that arrive at once were pasted: they are one message", () => {
  const { typing, type } = terminal();
  type("one\n\ntwo\n");
  expect(typing.take()).toEqual(["one\ntwo"]);
});

test("the answer to a question is not a message", async () => {
  const { typing, type, asked, sent } = terminal();
  const answer = typing.next("Task: ");
  type("\n");
  type("fix it\n");
  expect(await answer).toBe("fix it");
  expect([asked, sent, typing.take()]).toEqual([["Task: "], [], []]);
});

test("what was typed before the question answers it", async () => {
  const { typing, type } = terminal();
  type("fix it\n");
  expect(await typing.next("Task: ")).toBe("fix it");
  expect(typing.take()).toEqual([]);
});

test("the end of input answers with nothing", async () => {
  const { typing, stdin } = terminal();
  const answer = typing.next("Task: ");
  stdin.emit("end");
  expect(await answer).toBeUndefined();
});

test("what is typed after the end is for the next program", () => {
  const { typing, type, stdin } = terminal();
  expect(typing.stop()).toBe("");
  type("one\n");
  expect(typing.take()).toEqual([]);
  expect(stdin.isPaused()).toBe(true);
});
