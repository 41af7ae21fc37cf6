import { expect, test } from "bun:test";
import { type Claude, converse, HOWS, kindOf, NOTHING_SEEN, type Seen } from "../clients/claudes.ts";
import { ONE_REVIEW } from "../harness.ts";

/** As the Claude Agent SDK starts claude, with a permission callback. */
const ARGS = `--output-format stream-json --verbose --input-format stream-json --permission-prompt-tool stdio
  --setting-sources= --permission-mode default`.split(/\s+/);

interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly tool_name: string; readonly input: object };
  readonly is_error?: boolean;
  readonly result?: string;
}

/** A conversation as the SDK leads it. */
async function talk({ place, program, env }: Claude): Promise<Seen> {
  const child = Bun.spawn([program, ...ARGS], {
    cwd: place.project,
    env: { ...env, CLAUDE_CODE_ENTRYPOINT: "sdk-ts" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  const messages: string[] = [];
  const results: unknown[] = [];
  const calls: string[] = [];
  const take = (message: Message) => {
    messages.push(...kindOf(message));
    const { type, request_id, request } = message;
    if (type === "control_response")
      send({ type: "user", session_id: "", message: { role: "user", content: "RUN" }, parent_tool_use_id: null });
    if (type === "control_request") {
      calls.push(`${request?.subtype} ${request?.tool_name}`);
      const response = { behavior: "allow", updatedInput: request?.input };
      send({ type: "control_response", response: { subtype: "success", request_id, response } });
    }
    if (type === "result") {
      results.push([message.is_error, message.result]);
      child.stdin.end();
    }
  };
  send({ type: "control_request", request_id: "first", request: { subtype: "initialize" } });
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = `${text}${chunk}`.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  }
  return { ...NOTHING_SEEN, messages, calls, results: [...results, await child.exited] };
}

test("a program that speaks stream-json sees the same of claude, of ccc-glm and of a supervised ccc", async () => {
  const [claude, ...others] = await Promise.all(HOWS.map((how) => converse(how, talk, ONE_REVIEW)));
  expect(claude?.seen).toMatchObject({
    calls: ["can_use_tool Bash"],
    results: [[false, "after the tool"], 0],
  });
  expect(others).toEqual([
    { seen: claude?.seen, outcomes: [] },
    { seen: claude?.seen, outcomes: ["done"] },
  ] as typeof others);
});
