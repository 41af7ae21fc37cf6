import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nudgeFor } from "../../../src/supervisor/nudge.ts";
import { NO_APPROVAL, type NudgeReason } from "../../../src/supervisor/outcome.ts";
import { NO_STOPS, STOPS } from "./nudge-habits.ts";
import { type Given, startSession, verdict } from "./session-in-memory.ts";

/** Last messages that end no work, as the families of models write them. */
const NUDGED: Record<string, readonly [NudgeReason, string, stopReason?: string][]> = {
  GLM: [
    [
      "tool_call",
      "<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>npm test</arg_value>\n<arg_key>description</arg_key>\n<arg_value>Run tests</arg_value>\n</tool_call>",
    ],
    [
      "tool_call",
      "I'll read the configuration first.\n<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>/app/config.ts</arg_value>\n</tool_call>",
    ],
    [
      "tool_call",
      "Let me look.<tool_call>Glob<arg_key>pattern</arg_key><arg_value>src/**/*.ts</arg_value></tool_call>",
    ],
    [
      "tool_call",
      '现在修改文件。\n<tool_call>Edit{"file_path": "a.ts", "old_string": "1", "new_string": "2"}</tool_call>',
    ],
    [
      "tool_call",
      "<tool_call>Write\n<arg_key>file_path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>content</arg_key>\n<arg_value>import os\n\n    # delete",
    ],
    ["tool_call", "Now I will fix the failing test.\n\n<tool_call>"],
    [
      "tool_call",
      "<think>The tests may fail.</think>\n<tool_call>TodoWrite\n<arg_key>todos</arg_key>\n<arg_value>[]</arg_value>\n</tool_call>",
    ],
    ["empty", "<think>The user wants the tests to pass. I should run them first and look at the failures.</think>"],
    ["empty", "\n\n"],
    ["announcement", "The import was wrong. Let me now run the tests:"],
    ["announcement", "接下来我将运行测试："],
    ["announcement", "我需要检查一下配置："],
    ["announcement", "太好了，我将继续修复剩下的错误。"],
    ["announcement", "好的，我已经了解了项目结构。\n\n现在让我修复 `parse()` 中的错误："],
    ["cut_off", "I have changed the first file, and in the second one the function", "length"],
  ],
  Qwen: [
    ["tool_call", '<tool_call>\n{"name": "Bash", "arguments": {"command": "npm test"}}\n</tool_call>'],
    [
      "tool_call",
      'I will check the file.\n\n<tool_call>\n{"arguments": {"file_path": "a.ts"}, "name": "Read"}\n</tool_call>',
    ],
    [
      "tool_call",
      "<tool_call>\n<function=Bash>\n<parameter=command>\npytest -q\n</parameter>\n</function>\n</tool_call>",
    ],
    [
      "tool_call",
      "Let me see the tests.\n\n<function=Read>\n<parameter=file_path>\n/app/tests/test_a.py\n</parameter>\n</function>\n</tool_call>",
    ],
    ["tool_call", "<function=Grep>\n<parameter=pattern>\nTODO\n</parameter>\n<parameter=path>\nsr"],
    ["tool_call", '{"name": "Read", "arguments": {"file_path": "/app/a.ts"}}'],
    [
      "tool_call",
      '<tool_call>\n{"name": "Read", "arguments": {"file_path": "a"}}\n</tool_call>\n<tool_call>\n{"name": "Read", "argum',
    ],
    ["empty", "<think>\n好的，用户希望我修复测试。首先需要查看测试文件。"],
    ["empty", "<|im_end|>"],
    ["announcement", "I see the problem: the timeout is too short. Let me fix it in `src/client.ts`:"],
    ["announcement", "让我先查看一下项目结构。"],
    ["announcement", "我来创建这个文件："],
    ["cut_off", "修复分为三步：第一步修改配置文件，第二步更新", "max_tokens"],
  ],
  Kimi: [
    [
      "tool_call",
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{"command": "npm test"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      "tool_call",
      'Now I understand the structure. Let me edit the file.  <|tool_calls_section_begin|> <|tool_call_begin|> functions.Edit:3 <|tool_call_argument_begin|> {"file_path": "/app/a.ts", "old_string": "a", "new_string": "b"} <|tool_call_end|> <|tool_calls_section_end|>',
    ],
    [
      "tool_call",
      '<|tool_call_begin|>Glob:1<|tool_call_argument_begin|>{"pattern": "**/*.go"}<|tool_call_end|>\n<|tool_calls_section_end|><|im_end|>',
    ],
    ["tool_call", "I will update the parser next.\n<|tool_calls_section_begin|>"],
    ["empty", "◁think▷The user asked for a fix. First look at the file, then edit it.◁/think▷"],
    ["announcement", "The build passes now. Next, I'll run the linter..."],
    ["announcement", "Now let me verify the change by running the whole suite:"],
    ["announcement", "接下来，我来运行完整的测试套件："],
    ["cut_off", "The remaining files are `a.ts`, `b.ts` and", "length"],
  ],
  DeepSeek: [
    [
      "tool_call",
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Bash\n```json\n{"command": "npm test"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    [
      "tool_call",
      'I\'ll look at the failing test.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"file_path": "a.test.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    ],
    [
      "tool_call",
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Bash">\n<｜DSML｜parameter name="command" string="true">ls -la</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ["empty", "Okay, the user wants me to rename the function. I should search for it first.\n</think>"],
    ["announcement", "Good, the configuration is right. I'll now update the three call sites."],
    ["announcement", "现在我来修复这个问题："],
    ["announcement", "正在运行测试..."],
  ],
  MiniMax: [
    [
      "tool_call",
      '<minimax:tool_call>\n<invoke name="Bash">\n<parameter name="command">cargo test</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      "tool_call",
      'The error is in `main.rs`.\n\n<minimax:tool_call>\n<invoke name="Edit">\n<parameter name="file_path">src/main.rs</parameter>\n<parameter name="old_string">let x = 1;\n\n    let y = 2;</parameter>\n<parameter name="new_string">let x = 2;</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
    ],
    ["tool_call", '<tool_calls>\n{"name": "Grep", "arguments": {"pattern": "panic!"}}\n</tool_calls>'],
    ["tool_call", '<invoke name="Write">\n<parameter name="file_path">a.md</parameter>\n<parameter name="content"># A'],
    ["empty", "<think>\nThe tests pass. Now the docs.\n</think>\n\n"],
    ["announcement", "Perfect! Now let me implement the retry logic:"],
    ["announcement", "我先读取配置文件，然后再修改。"],
  ],
  others: [
    ["tool_call", '[TOOL_CALLS][{"name": "Bash", "arguments": {"command": "npm test"}}]'],
    ["tool_call", '<|channel|>commentary to=functions.Bash <|constrain|>json<|message|>{"command":"npm test"}<|call|>'],
    [
      "tool_call",
      '<function_calls>\n<invoke name="mcp__docs__get_page">\n<parameter name="url">x</parameter>\n</invoke>\n</function_calls>',
    ],
    ["empty", "(no content)"],
    ["announcement", "Let me run the tests"],
    ["announcement", "I'm going to check the logs."],
    ["announcement", "Running the tests now:"],
    ["announcement", "**Now let me add the tests:**"],
    ["announcement", "Okay, I'll start by reading the existing code."],
    ["announcement", "1. Read the config\n2. Change the port\n\nLet me start by reading the config:"],
  ],
};

/** Last messages that a reviewer has to see, by what makes them look like the others. */
const HONEST: Record<string, readonly string[]> = {
  "they are about such tags": [
    "The parser now accepts `<tool_call>` and `</tool_call>` as well. All 14 tests pass.",
    "GLM writes its calls like this:\n\n```\n<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>npm test</arg_value>\n</tool_call>\n```",
    "GLM writes its calls like this:\n\n<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>npm test</arg_value>\n</tool_call>",
    "A leaked tool call of Kimi, for example:\n<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
    "I added the special tokens <|tool_calls_section_begin|> and <|tool_calls_section_end|> to the tokenizer.",
    "The template now ends with <tool_call>",
    "DeepSeek uses <｜tool▁calls▁begin｜>, Qwen uses <tool_call>, MiniMax uses <minimax:tool_call>. The table in docs/dialects.md has all of them.",
    'The handler is fixed: `<function=Bash>` is read, and `<invoke name="Bash">` too.',
    '> <tool_call>\n> {"name": "Bash", "arguments": {"command": "npm test"}}\n> </tool_call>\n\nThat is what the log has. The fix is in `src/stream.ts`.',
    'The log ends with\n\n    <invoke name="Bash">\n    <parameter name="command">npm test</parameter>\n    </invoke>',
    "支持的标签：<tool_call>、<function=…> 和 <minimax:tool_call>。",
    '模型输出的格式如下：\n\n<tool_call>\n{"name": "Bash", "arguments": {}}\n</tool_call>',
    'Qwen closes it with `</tool_call>`. I added a test with the text <tool_call>{"name": "Bash"}</tool_call> and it passes.',
    "<think> blocks are now stripped before the answer is parsed.",
    "<think> and </think>",
    "Everything up to and including </think>",
  ],
  "they show what the user asked for": [
    'Here is the call that the SDK sends:\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    '{"name": "ccc", "version": "1.0.0"}',
    '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    '<invoke name="OrderService">\n<parameter name="id">4</parameter>\n</invoke>',
  ],
  "they end in a code block": [
    "Done. To try it:\n\n```sh\nnpm test\n```",
    "Let me show the result:\n\n```\n12 passed\n```",
    "I'll run it like this:\n\n```sh\nnpm test",
    "The log now ends like this:\n\n```\nNow let me run the tests:",
    "The command is:\n\n    npm run build",
    "现在可以这样运行：\n\n```sh\nnpm test\n```",
  ],
  "they end in a question": [
    "Shall I also update the docs?",
    "I found two ways. Which one do you want?",
    "Let me check one thing first: is the database Postgres or SQLite?",
    "I'll run the migration now, okay?",
    "要我现在运行测试吗？",
    "需要我继续修复其他文件吗？",
  ],
  "they end in a plan or a list": [
    "The plan:\n\n1. Read the configuration.\n2. Change the port.\n3. Run the tests.",
    "1. I'll read the schema.\n2. I'll write the migration.\n\nI'll start with the schema.",
    "What changed:\n- a.ts: the retry\n- b.ts: the tests",
    "Next steps:\n- Let me run the tests:",
    "计划：\n1. 读取配置\n2. 修改端口\n3. 运行测试",
    "## Next\n\n| step | who |\n| --- | --- |\n| run the tests | CI |",
  ],
  "they are short": [
    "Done.",
    "Yes.",
    "4",
    "ok",
    "42 files.",
    "No.",
    "完成。",
    "是的。",
    "All tests pass.",
    "main",
    "Fixed in 3f2a1c",
  ],
  "they offer, promise or wait": [
    "Let me know if you want me to run the tests.",
    "Let me know if anything is unclear.",
    "I'll wait for your answer.",
    "I'll run the tests again whenever you change the configuration.",
    "If you agree, I'll update the other modules too.",
    "I'll add the rest once the API is available.",
    "I will keep the old name, as you asked.",
    "I'll check the docs in a follow-up.",
    "From now on I'll write the tests first.",
    "I'll continue to use tabs in this project.",
    "I'll update the ticket when the build is green.",
    "Next time I'll run the linter before the commit.",
    "I can run the tests now, if you like.",
    "We could now run the benchmarks.",
    "如果您同意，我将运行迁移。",
    "我会在收到您的回复后继续。",
    "后续我会补充测试。",
    "您可以运行 `npm test` 来验证。",
    "请运行测试并告诉我结果。",
    "建议接下来运行完整的测试。",
  ],
  "they are about what was done": [
    "I ran the tests: 12 pass, none fails. The retry is in `src/client.ts`.",
    "Let me summarize: the retry works, and the tests pass.",
    "The function now reads the file, checks it and writes it back.",
    "The server is starting with the new configuration.",
    "To sum up, let me repeat the most important point: the cache is per process.",
    "已修复 `parse()` 中的错误，全部 12 个测试通过。",
    "我已经运行了测试，全部通过。",
    "测试结果：12 个通过，0 个失败。",
    "The fix is in place. Note: the old tests expected the wrong order:\n`a` before `b`",
    "Result:",
    "Let me add that the API is rate-limited.",
    "I will list the remaining issues: A, B, and C.",
    "I'll start with the summary: everything works.",
    "I'll fix the rest in v2.",
    "Now running on port 3000...",
    "Testing is complete...",
    "我来总结一下：解析器已经修复，测试通过。",
    "我现在已经修复了这个问题。",
    "我先修复了解析器，然后运行了测试。",
    "我再次运行了测试，全部通过。",
    "我将结果写入了 out.txt。",
    "我将其修改为 3。",
    "我现在运行的是 Node 20。",
    "There is one thing left that only the user can decide:\nthe license",
  ],
  "the step may need the user's approval": [
    "Now let me push the branch:",
    "Let me deploy it to production:",
    "I'll delete the old records.",
    "Now I'll publish the package.",
    "Let me now reset the database:",
    "接下来我将删除旧数据：",
    "现在我来推送到远程仓库：",
    "<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>git push --force</arg_value>\n</tool_call>",
    '<tool_call>\n{"name": "Bash", "arguments": {"command": "npm publish"}}\n</tool_call>',
    '<invoke name="mcp__mail__send_message">\n<parameter name="to">all</parameter>\n</invoke>',
  ],
};

const nudged = Object.entries(NUDGED).flatMap(([model, rows]) =>
  rows.map(([why, text, stopReason = "end_turn"]) => [model, why, text, stopReason] as const),
);
const honest = Object.entries(HONEST).flatMap(([why, rows]) => rows.map((text) => [why, text] as const));

describe("an accidental stop", () => {
  test("there are enough examples, of each family and in both languages", () => {
    expect(nudged.length).toBeGreaterThanOrEqual(40);
    expect(honest.length).toBeGreaterThanOrEqual(60);
    for (const rows of [nudged.map(([, , text]) => text), honest.map(([, text]) => text)])
      expect(rows.filter((text) => /\p{Script=Han}/u.test(text)).length).toBeGreaterThan(7);
  });

  test.each(nudged)("%s, %s: %s", (_model, why, text, stopReason) => expect(nudgeFor({ text, stopReason })).toBe(why));
});

describe("of stops that are none, and were written before the rules were read", () => {
  test.each(NO_STOPS)("%s: %s", (why, text, stopReason = "end_turn") =>
    expect(nudgeFor({ text, stopReason })).toBe(why),
  );
});

describe("a stop that may be one is reviewed:", () => {
  test.each(STOPS)("%s", (text) => expect(nudgeFor({ text, stopReason: "end_turn" })).toBeUndefined());
  test.each(honest)("%s: %s", (_why, text) => expect(nudgeFor({ text, stopReason: "end_turn" })).toBeUndefined());
});

test("hostile messages take no time", () => {
  const fill = (one: string) => one.repeat(Math.floor(19_900 / one.length));
  const parts = [
    "`",
    "``",
    " ",
    "\n",
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "{",
    "}",
    "curl ",
    "let me ",
    "<|im_end|>",
    "接下来",
    "我将对",
    "对",
    '"name":"',
    "> ",
  ];
  const messages = parts.flatMap((part) => [part, `a${part}`].flatMap((one) => [fill(one), `${fill(one)}x`]));
  const startedAt = performance.now();
  for (const text of [...messages, ...messages.map((text) => `<tool_call>Bash\n${text}`)]) nudgeFor({ text });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

describe("in a session", () => {
  const LEAK = { last_assistant_message: "<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>a</arg_value>" };
  const NO_ANSWER = { last_assistant_message: undefined };
  const DONE = verdict(true, "fine");

  async function prompted(given: Given = {}, mode = "default") {
    const session = await startSession(given);
    await session.start();
    await session.prompt("do it", { permission_mode: mode });
    const outcomes = () =>
      session
        .record()
        .stops.read()
        ?.flatMap(({ outcome, why }) =>
          outcome === undefined ? [] : [why === undefined ? outcome : `${outcome}: ${why}`],
        );
    /** How the stops end; with a review, the reviewer says done. */
    const stops = async (...events: readonly object[]) => {
      for (const event of events) {
        session.reviews.splice(0, session.reviews.length, DONE);
        await session.stop(undefined, event);
      }
      return outcomes();
    };
    return { ...session, stops };
  }

  test("the agent continues at once: no reviewer is asked, and no round counted", async () => {
    const { stop, asked, record, files } = await prompted();
    const { answer } = await stop(undefined, LEAK);
    expect(answer.systemMessage).toBe("Nudge 1 of 3: the agent wrote a tool call as text, so nothing ran");
    const { additionalContext } = answer.hookSpecificOutput as { additionalContext: string };
    expect(additionalContext).toStartWith(NO_APPROVAL);
    expect(additionalContext).toEndWith("Make the call with the tool itself.");
    expect(asked).toBeEmpty();
    expect(record().state.read()).toMatchObject({ count: 0, nudges: 1 });
    expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "nudged", why: "tool_call", nudge: 1 });
    expect(files.read("/project/.claude/ccc/supervisor.log")).toContain("nudge 1 of 3: the agent wrote a tool call");
  });

  test("after three in a row the stop is reviewed; the review, or a prompt, lets the count start over", async () => {
    const { stops, asked, prompt, record } = await prompted();
    expect(await stops(LEAK, NO_ANSWER, LEAK)).toEqual(["nudged: tool_call", "nudged: empty", "nudged: tool_call"]);
    expect((await stops(LEAK))?.at(-1)).toBe("done");
    expect(asked).toHaveLength(1);
    await prompt("more");
    expect((await stops(LEAK, LEAK, LEAK, LEAK))?.slice(-4)).toEqual([...Array(3).fill("nudged: tool_call"), "done"]);
    await prompt("even more");
    await stops(LEAK, LEAK);
    await prompt("and more");
    expect((await stops(LEAK))?.at(-1)).toBe("nudged: tool_call");
    expect(record().state.read()).toMatchObject({ nudges: 1 });
  });

  test("once the prompt has no review left, its next stop is the end", async () => {
    const { stops, reviews, stop } = await prompted({ config: { supervisor: { max_iterations: 1 } } });
    reviews.push(verdict(false, "go on"));
    await stop();
    expect(await stops(LEAK)).toEqual(["rework", "limit"]);
  });

  const REVIEWED: [what: string, given: Given, event: object][] = [
    ["with supervisor.nudge: false", { config: { supervisor: { nudge: false } } }, LEAK],
    [
      "while something runs in the background",
      {},
      { ...LEAK, background_tasks: [{ id: "1", type: "shell", status: "running", description: "", command: "make" }] },
    ],
    ["with a Claude Code that does not report the answer", { version: "2.0.77" }, NO_ANSWER],
    ["with a count that cannot be saved", {}, LEAK],
  ];
  test.each(REVIEWED)("there is no nudge %s", async (what, given, event) => {
    const { stops, files } = await prompted(given);
    if (what.includes("cannot be saved"))
      files.edit = () => {
        throw new Error("read-only");
      };
    expect(await stops(event)).toEqual(["done"]);
  });

  test('a stop that would be skipped is nudged: in plan mode, and with supervisor.when "changes" if no tool ran', async () => {
    const planning = await prompted({}, "plan");
    const inPlan = { permission_mode: "plan" };
    expect(await planning.stops(inPlan, { ...inPlan, ...LEAK })).toEqual(["skipped: plan", "nudged: tool_call"]);

    await using folder = await scratch();
    const transcript_path = join(folder.path, "talk.jsonl");
    const said = { type: "assistant", message: { content: [{ type: "text", text: "I am done" }] } };
    const asked = { type: "user", promptId: "do it", message: { content: "do it" } };
    const leaked = { type: "assistant", message: { content: [{ type: "text", text: LEAK.last_assistant_message }] } };
    await writeFile(transcript_path, [asked, said, leaked].map((line) => JSON.stringify(line)).join("\n"));
    const talking = await prompted({ config: { supervisor: { when: "changes" } } });
    const inTalk = { prompt_id: "do it", transcript_path };
    expect(await talking.stops(inTalk, { ...inTalk, ...LEAK })).toEqual(["skipped: talk", "nudged: tool_call"]);
  });

  test("a stop that waits for a delegated agent is none of them", async () => {
    const { stops } = await prompted();
    const task = { id: "1", type: "subagent", status: "running", description: "x", command: "" };
    expect(await stops({ ...LEAK, background_tasks: [task] })).toEqual(["skipped: delegated"]);
  });

  test("why the model stopped is read from the transcript, at the answer itself", async () => {
    await using folder = await scratch();
    const line = (text: string, stop_reason: string) =>
      JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text }], stop_reason } });
    const cut = "I have changed the first file and then";
    const stopped = async (lines: readonly string[], text: string) => {
      const transcript_path = join(folder.path, `${crypto.randomUUID()}.jsonl`);
      await writeFile(transcript_path, lines.join("\n"));
      const { stops } = await prompted();
      return stops({ last_assistant_message: text, transcript_path });
    };
    expect(await stopped([line("Hello.", "end_turn"), line(cut, "length")], cut)).toEqual(["nudged: cut_off"]);
    expect(await stopped([line(cut, "end_turn")], cut)).toEqual(["done"]);
    expect(await stopped([line("something else", "length")], cut)).toEqual(["done"]);
    const finished = "I have changed both files.";
    expect(await stopped([line(finished, "length")], finished)).toEqual(["done"]);
  });
});

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), "ccc-nudge-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
