import { describe, expect, test } from "bun:test";
import { startSession } from "../session-in-memory.ts";

describe("when a session starts", () => {
  const told = "Every stop is reviewed by glm. To switch that off in this session: /ccc:supervisor off";
  const sources: [source: string, message: string | undefined][] = [
    ["startup", told],
    ["resume", told],
    ["clear", undefined],
    ["compact", undefined],
  ];
  test.each(sources)("%s", async (source, message) => {
    const { start } = await startSession();
    expect((await start({ source })).answer.systemMessage).toBe(message as string);
  });

  test("with -p nothing is announced", async () => {
    const { start } = await startSession({ env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } });
    expect((await start()).answer).toEqual({});
  });
});
