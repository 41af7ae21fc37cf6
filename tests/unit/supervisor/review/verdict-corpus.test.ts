import { describe, expect, test } from "bun:test";
import { decideVerdict } from "../../../../src/supervisor/review/verdict.ts";
import {
  BEFORE_A_QUOTE,
  BEFORE_A_VERDICT,
  CODE,
  HONEST_DONE,
  HONEST_NOT_DONE,
  HOSTILE,
  HOSTILE_WITHOUT_CODE,
  RETRACTED,
} from "./verdict-corpus.ts";
import { type Expected, HABITS, HOSTILE_HABITS } from "./verdict-habits.ts";

/** What must be read; "again": the reviewer is asked once more. */
type Reading = Expected;
type Row = readonly [expected: Reading, answer: unknown];

function reading(answer: unknown): Reading {
  const verdict = decideVerdict(undefined, answer, { marker: "[TASK_COMPLETED]", code: CODE });
  if (verdict === undefined) return "again";
  if (verdict.needsUser) return "needs you";
  return verdict.completed ? "done" : "not done";
}

const JSON_FENCE = "```json";
const FENCE = "```";

/**
 * Answers as the models of each family write them, with what must be read. Where text stands around "done", most copy the
 * code, as they are asked to; the first ones of each family forget it.
 */
const CORPUS: Readonly<Record<string, readonly Row[]>> = {
  GLM: [
    ["done", '逐条检查完毕，全部满足。\n\n{"completed": true, "feedback": "测试通过"}'],
    ["done", `## 评审结论\n\n${JSON_FENCE}\n{"completed": true, "feedback": "测试通过"}\n${FENCE}`],
    ["done", '根据以上检查，任务已完成：\n\n{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}'],
    ["done", '结果：\n{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}'],
    ["not done", "**结论：任务未完成。**\n\n仍缺少：登录页面的错误提示。"],
    ["not done", "还没有完成：没有测试。"],
    ["done", '综上所述，任务已完成，给出结论：\n{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}'],
    ["done", '{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}\n\n所有验收标准均已满足，任务完成。'],
    ["not done", '{\n  "completed": false，\n  "feedback": "缺少对空字符串的处理"，\n  "needs_user": false\n}'],
    ["not done", `${JSON_FENCE}\n{"completed": false, "feedback": "缺少"测试"文件"}\n${FENCE}`],
    ["done", '{"completed": true, "feedback": "已验证"全部"功能"}'],
    ["not done", '我的结论是：尚未完成。\n{"completed": false, "feedback": "缺少测试"}'],
    ["done", '检查完成，输出如下：\n\n{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}\n'],
    ["done", '任务此前未完成的部分现在已完成。\n{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}'],
    [
      "done",
      '<think>\nLet me check the tests once more. They pass.\n</think>\n\n{"completed": true, "feedback": "All 12 tests pass."}',
    ],
    [
      "not done",
      '<think>The user wants X. {"completed": true} would be wrong.</think>\n{"completed": false, "feedback": "src/app.ts still has a TODO."}',
    ],
    ["done", '<|begin_of_box|>{"completed": true, "feedback": "Checked src/a.ts and npm test."}<|end_of_box|>'],
    ["not done", 'Final verdict: <|begin_of_box|>{"completed": false, "feedback": "no tests"}<|end_of_box|>'],
    ["done", '{"completed": true, "feedback": "All good."}<|user|>'],
    [
      "done",
      "<tool_call>StructuredOutput\n<arg_key>completed</arg_key>\n<arg_value>true</arg_value>\n<arg_key>feedback</arg_key>\n<arg_value>npm test passes, README updated.</arg_value>\n</tool_call>",
    ],
    [
      "not done",
      "I checked the files.\n<tool_call>StructuredOutput\n<arg_key>completed</arg_key>\n<arg_value>false</arg_value>\n<arg_key>feedback</arg_key>\n<arg_value>The parser ignores quotes: see src/csv.ts.</arg_value>\n</tool_call>",
    ],
    ["not done", "{“completed”：false，“feedback”：“缺少测试，src/a.ts 未修改”}"],
    ["done", "{“completed”: true, “feedback”: “所有测试通过”}"],
    [
      "done",
      `评审结果如下：\n\n${JSON_FENCE}\n{\n  "completed": true,\n  "feedback": "已检查 src/a.ts，测试全部通过。",\n  "code": "4c1f09ae"\n}\n${FENCE}\n\n以上是我的评审结论。`,
    ],
    [
      "not done",
      `${JSON_FENCE}\n{\n  "completed": false,\n  "feedback": "README 没有更新",\n}\n${FENCE}\n如有问题请告诉我。`,
    ],
    [
      "done",
      '{"completed": "true", "feedback": "ok", "needs_user": "false", "criteria": {"C1": "已满足", "C2": "✅ met"}}',
    ],
    ["not done", '{"completed": "false", "feedback": ["缺少单元测试", "README 未更新"]}'],
    ["needs you", '{"completed": false, "needs_user": "true", "feedback": "请确认使用哪个数据库？"}'],
    ["not done", '{"verdict": {"completed": false, "feedback": "未运行测试"}}'],
    ["done", '{"result": {"completed": true, "feedback": "已验证"}}'],
    ["not done", '最终结论：{"completed": false, "feedback": "测试失败"}'],
    ["done", '最终结论：{"completed": true, "feedback": "测试通过", "code": "4c1f09ae"}'],
    ["not done", '{"是否完成": false, "反馈": "缺少错误处理"}'],
    ["done", '{"properties": {"completed": true, "feedback": "Everything was verified."}}'],
    ["not done", "结论：未完成\n\n- src/a.ts 没有测试\n- README 未更新"],
    ["again", "我已经检查了所有文件，看起来一切正常，任务已完成。"],
  ],
  Kimi: [
    ["done", 'I ran the suite; it is green.\n\n{"completed": true, "feedback": "41 passed."}'],
    [
      "done",
      'I confirm that all the criteria are satisfied:\n\n{"completed": true, "feedback": "Checked.", "code": "4c1f09ae"}',
    ],
    [
      "done",
      'Since all checks pass and the diff is right, my answer is:\n\n{"completed": true, "feedback": "Checked.", "code": "4c1f09ae"}',
    ],
    [
      "done",
      `I ran the tests myself.\n\n${JSON_FENCE}\n{"completed": true, "feedback": "41 passed.", "code": "4c1f09ae"}\n${FENCE}\n\nThat's my verdict.`,
    ],
    [
      "not done",
      "| Criterion | Status |\n|---|---|\n| C1 | ✅ |\n| C2 | ❌ |\n\n**completed: false**\n\nfeedback: C2, the CLI still exits with 0.",
    ],
    [
      "done",
      `## Verdict\n${FENCE}JSON\n{ "completed" : true , "feedback" : "ok" , "code": "4c1f09ae" }\n${FENCE}\n\n**Summary:** everything was verified and works as expected.`,
    ],
    ["done", 'Now I’ll write the verdict:\n\n{"completed": true, "feedback": "Checked.", "code": "4c1f09ae"}'],
    [
      "done",
      '{"completed": true, "feedback": "Checked.", "code": "4c1f09ae"}\n\nNote: the code could be refactored later, but this is not required.',
    ],
    ["done", '◁think▷Everything was checked.◁/think▷{"completed": true, "feedback": "checked"}'],
    [
      "done",
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.StructuredOutput:0<|tool_call_argument_begin|>{"completed": true, "feedback": "All criteria met."}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      "not done",
      'Two criteria are open.<|im_end|>\n<|tool_calls_section_begin|><|tool_call_begin|>functions.StructuredOutput:3<|tool_call_argument_begin|>{"completed": false, "feedback": "C2 is open"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    ["done", '{"completed": true, "feedback": "Ran `npm test`: 14 passed."}<|im_end|>'],
    ["not done", '{"completed": false, "feedback": "The "save" button does nothing."}'],
    ["done", '{"completed": true, "feedback": "The "save" button works now."}'],
    [
      "done",
      `The work holds up.\n\n${JSON_FENCE}\n{"completed": true, "feedback": "I ran the tests.", "criteria": [{"id": "C1", "text": "tests pass", "status": "met", "evidence": "npm test"}], "code": "4c1f09ae"}\n${FENCE}\n\nLet me know if you need anything else.`,
    ],
    [
      "not done",
      `${JSON_FENCE}\n{"completed": false, "feedback": "The port is still hard-coded in server.js."}\n${FENCE}\n\nThe agent should read it from the environment, and then run the tests again.`,
    ],
    ["not done", '{"completed": false, "feedback": "line one\nline two\nline three"}'],
    ["done", '{"completed": true, "feedback": "line one\nline two"}'],
    ["done", '{"is_completed": true, "feedback": "verified"}'],
    ["not done", '{"isCompleted": false, "feedback": "no migration"}'],
    ["needs you", '{"completed": false, "needsUser": true, "feedback": "Which license do you want?"}'],
    ["not done", '[{"completed": false, "feedback": "no changelog entry"}]'],
    ["done", '[{"completed": true, "feedback": "changelog entry found"}]'],
    ["not done", '{"completed": false, "feedback": {"C1": "no test", "C2": "README is missing"}}'],
    ["done", '{"completed": true, "feedback": "ok", "criteria": "C1: met - src/a.ts; C2: met - npm test"}'],
    ["not done", "**Verdict: NOT done**\n\nThe endpoint returns 500 for an empty body."],
    ["not done", "completed: false\nfeedback: The endpoint returns 500 for an empty body."],
    ["again", "completed: true\nfeedback: everything works"],
    ["not done", '{"completed": false, "feedback": "tests fail in src/parser.test.ts because the'],
    ["again", '{"completed": true, "feedback": "I checked the parser and the'],
  ],
  DeepSeek: [
    ["done", '{"completed": true, "feedback": "Fine."}\n\nAll criteria are met.'],
    ["done", `### Verdict\n\n${JSON_FENCE}\n{"completed": true, "feedback": "Fine."}\n${FENCE}`],
    [
      "done",
      'Based on the evidence above, I conclude that the work is done:\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}',
    ],
    ["done", 'No issues found\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    [
      "not done",
      '{\n  "completed": false,\n  "feedback": "`add` returns a string: "1" + "2" = "12""\n  "criteria": []\n}',
    ],
    [
      "done",
      'Based on my review of the agent’s work, here is my verdict:\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}',
    ],
    [
      "done",
      '{\n  "criteria": [\n    {"id": "C1", "text": "a", "status": "met", "evidence": "ran "npm test" and saw 3 pass"}\n  ],\n  "completed": true,\n  "needs_user": false,\n  "feedback": "fine"\n}',
    ],
    [
      "done",
      '{\n  "criteria": [\n    {"id": "C1", "text": "a", "status": "met", "evidence": "read src/a.ts\nand src/b.ts"}\n  ],\n  "completed": true,\n  "feedback": "fine"\n}',
    ],
    [
      "not done",
      '{"criteria":[{"id":"C1","status":"unmet","evidence":"a"}],"completed":False,"needs_user":False,"feedback":"x"}',
    ],
    [
      "done",
      '{"criteria":[{"id":"C1","status":"met","evidence":"a"}],"completed":True,"needs_user":False,"feedback":"x"}',
    ],
    [
      "done",
      '<think>\nHmm. The draft {"completed": false, "feedback": "x"} was wrong; the file is there.\n</think>\n{"completed": true, "feedback": "The file is there."}',
    ],
    [
      "done",
      'I looked at the diff and ran the tests.\n</think>\n\n{"completed": true, "feedback": "The diff does what was asked.", "code": "4c1f09ae"}',
    ],
    ["not done", 'I looked at the diff.\n</think>\n\n{"completed": false, "feedback": "The diff lacks a test."}'],
    ["done", '{"completed": true, "feedback": "The diff is right."}<｜end▁of▁sentence｜>'],
    ["not done", '{"completed": false, "feedback": "The diff is wrong."}\n<｜end▁of▁sentence｜>'],
    [
      "done",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>StructuredOutput\n${JSON_FENCE}\n{"completed": true, "feedback": "All right."}\n${FENCE}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      "not done",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>StructuredOutput\n${JSON_FENCE}\n{"completed": false, "feedback": "Not all right."}\n${FENCE}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
    ],
    [
      "done",
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="StructuredOutput">\n<｜DSML｜parameter name="completed" string="false">true</｜DSML｜parameter>\n<｜DSML｜parameter name="feedback" string="true">Checked.</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ["not done", "{'completed': False, 'feedback': 'The tests were not run.'}"],
    ["done", "{'completed': True, 'feedback': 'The tests were run.'}"],
    [
      "done",
      `### Verdict\n\n${FENCE}\n{\n  'completed': True,\n  'needs_user': False,\n  'feedback': 'All tests pass.',\n  'code': '4c1f09ae'\n}\n${FENCE}`,
    ],
    ["not done", '{"completed": false, "feedback": "Missing:\n1. tests\n2. docs",}'],
    ["done", '{\n  "completed": true,\n  "feedback": "Build and tests pass.",\n}'],
    ["done", '{\n  "completed": true, // all criteria are met\n  "feedback": "Build and tests pass."\n}'],
    [
      "not done",
      `${JSON_FENCE}\n{\n  "criteria": [\n    {"id": "C1", "text": "a", "status": "Met", "evidence": ["src/a.ts", "npm test"]},\n    {"id": "C2", "text": "b", "status": "Not met", "evidence": "no file"},\n  ],\n  "completed": false,\n  "feedback": "C2 is missing"\n}\n${FENCE}`,
    ],
    [
      "done",
      `${JSON_FENCE}\n{\n  "criteria": [\n    {"id": "C1", "text": "a", "status": "Met", "evidence": ["src/a.ts", "npm test"]},\n    {"id": "C2", "text": "b", "status": "已满足", "evidence": "src/b.ts"},\n  ],\n  "completed": true,\n  "feedback": "Both are met"\n}\n${FENCE}`,
    ],
    ["not done", '{"Completed": false, "Feedback": "Still a stub."}'],
    ["done", '{"Completed": true, "Feedback": "No stub is left."}'],
    [
      "done",
      'The todo list keeps its state: a new item has `completed: false`, and a click sets it to `completed: true`.\n\n{"completed": true, "feedback": "Items toggle, tests pass.", "code": "4c1f09ae"}',
    ],
    [
      "not done",
      'A new item should have `completed: false`, but it has `completed: true`.\n\n{"completed": false, "feedback": "The default is wrong."}',
    ],
    ["not done", '{"completed": false, "feedback": null, "criteria": [{"id": "C1", "status": false}]}'],
    ["needs you", '{"completed": false, "needs_user": 1, "feedback": "The API key is missing."}'],
  ],
  Qwen: [
    ["done", '# Final Verdict\n\n{"completed": true, "feedback": "Checked."}'],
    ["done", `{'completed': True, 'feedback': 'The user's tests pass'}`],
    ["done", `{'completed': True, 'feedback': "The user's tests pass"}`],
    ["not done", '{"completed": false,\n"feedback": "1. tests missing\n2. "foo" not exported"\n}'],
    ["done", '{"completed": true\n "feedback": "missing comma"}'],
    ["done", '{"completed": true, "feedback": "todo items have "completed": false by default"}'],
    ["done", '<think>\n\n</think>\n\n{"completed": true, "feedback": "ok, verified"}<|im_end|>'],
    [
      "not done",
      '<tool_call>\n{"name": "StructuredOutput", "arguments": {"completed": false, "feedback": "no tests"}}\n</tool_call>',
    ],
    [
      "done",
      '<tool_call>\n{"name": "StructuredOutput", "arguments": {"completed": true, "feedback": "tests pass"}}\n</tool_call>',
    ],
    [
      "done",
      "I have verified everything.\n\n<tool_call>\n<function=StructuredOutput>\n<parameter=completed>\ntrue\n</parameter>\n<parameter=feedback>\nTests pass.\n</parameter>\n<parameter=code>\n4c1f09ae\n</parameter>\n</function>\n</tool_call>",
    ],
    [
      "not done",
      "<function=StructuredOutput>\n<parameter=completed>\nFalse\n</parameter>\n<parameter=feedback>\nTests fail.\n</parameter>\n</function>",
    ],
    [
      "not done",
      '{"name": "StructuredOutput", "arguments": "{\\"completed\\": false, \\"feedback\\": \\"x is missing\\"}"}',
    ],
    ["done", '{"name": "StructuredOutput", "arguments": {"completed": true, "feedback": "nothing is missing"}}'],
    [
      "done",
      `${FENCE}\n{"completed": true, "feedback": "Checked the three files.", "code": "4c1f09ae"}\n${FENCE}\n\nThe work is done.`,
    ],
    [
      "done",
      '{"completed": true, "feedback": "Checked the three files.", "code": "4c1f09ae"}\n\nAll criteria are met. The agent may stop.',
    ],
    ["not done", '{"completed": false, "feedback": "Two of three files are missing."}\n\nPlease create them.'],
    ["not done", '{"completed": no, "feedback": "Two of three files are missing."}'],
    ["done", '{"completed": "yes", "feedback": "All three files are there."}'],
    ["not done", '{"completed": "partially", "feedback": "One of three files is missing."}'],
    ["not done", '{"completed": 0, "feedback": "One of three files is missing."}'],
    ["done", '{"completed": 1, "feedback": "None of the files is missing."}'],
    ["done", '{"done": true, "feedback": "Works as asked."}'],
    ["not done", '{"done": false, "feedback": "Does not work as asked."}'],
    ["not done", '{"status": "incomplete", "feedback": "No error handling."}'],
    ["done", '{completed: true, feedback: "keys without quotes"}'],
    ["not done", "{completed: false, feedback: 'keys without quotes'}"],
    ["done", '{"completed": true, "feedback": "路径 C:\\\\tmp 已检查", "code": "4c1f09ae"}\n\n任务已完成。'],
    ["not done", '```json\n{"completed": false, "feedback": "正则 \\d+ 不匹配"}\n```'],
    [
      "needs you",
      '<think>ask</think>```json\n{"completed": false, "needs_user": true, "feedback": "需要 API 密钥"}\n```',
    ],
    ["again", '{"completed": "unknown", "feedback": "I could not run the tests."}'],
  ],
  MiniMax: [
    ["done", 'Build and tests are fine.\n\n{"completed": true, "feedback": "It starts."}'],
    [
      "done",
      '<minimax:tool_call>\n<invoke name="StructuredOutput">\n<parameter name="completed">true</parameter>\n<parameter name="feedback">All pass.</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
    ],
    ["not done", "- completed: false\n- feedback: no `--help`"],
    ["done", `{"completed": true, "feedback": "It starts."}\n${FENCE}`],
    ["done", '{"completed": true, "feedback": "It starts.", "code": "4c1f09ae"}\n\nI’m confident in this verdict.'],
    [
      "done",
      '<minimax:tool_call>\n<invoke name="StructuredOutput">\n<parameter name="completed">true</parameter>\n<parameter name="feedback">All tests pass.</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      "not done",
      'Two tests fail.\n<minimax:tool_call>\n<invoke name="StructuredOutput">\n<parameter name="completed">false</parameter>\n<parameter name="feedback">Two tests fail.</parameter>\n<parameter name="criteria">[{"id": "C1", "status": "unmet"}]</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    ["done", '{"completed": true, "feedback": "All tests pass."}[e~['],
    ["not done", '<think>long\nthoughts</think>\n\n{"completed": false, "feedback": "Two tests fail."}[e~['],
    ["done", '<thinking>I ran it.</thinking>\n{"completed": true, "feedback": "It runs."}'],
    ["not done", '<answer>\n{"completed": false, "feedback": "It does not start."}\n</answer>'],
    ["done", '<answer>\n{"completed": true, "feedback": "It starts."}\n</answer>'],
    ["done", '<verdict>{"completed": true, "feedback": "It starts."}</verdict>'],
    ["not done", "<completed>false</completed>\n<feedback>It does not start.</feedback>"],
    ["again", "<completed>true</completed>\n<feedback>It starts.</feedback>"],
    [
      "not done",
      '{"completed": false, "feedback": "It does not start."}\n{"completed": false, "feedback": "It does not start."}',
    ],
    ["done", '{"completed": true, "feedback": "It starts.", "code": "4c1f09ae"}\n\n---\n\nReview complete. ✅'],
    [
      "not done",
      '## Review\n\n- start: ❌\n\n## Verdict\n\n{"completed": false, "feedback": "start fails", "criteria": [{"id": "C1", "text": "starts", "status": "❌", "evidence": "npm start"}]}',
    ],
    [
      "done",
      '## Review\n\n- start: ✅\n\n## Verdict\n\n{"completed": true, "feedback": "it starts", "criteria": [{"id": "C1", "text": "starts", "status": "✅", "evidence": "npm start"}], "code": "4c1f09ae"}',
    ],
    ["not done", '{"completed":false,"feedback":"missing","criteria":[{"id":1,"met":false}]'],
    ["again", '{"completed":true,"feedback":"present","criteria":[{"id":1,"met":true}'],
    ["needs you", '{"completed": "needs_user", "feedback": "Which of the two designs?"}'],
    ["again", "The implementation meets the request."],
  ],
  "GPT-like": [
    ["done", 'Final answer:\n\n{"completed": true, "feedback": "Fine."}'],
    ["done", 'My verdict is {"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    ["done", 'Result of my review:\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    [
      "done",
      'Here is my evaluation in the requested format:\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}',
    ],
    ["not done", "The request is not fulfilled: the README lacks the section."],
    ["done", '1. tests pass\n2. README updated\n\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    ["done", 'Therefore, the final JSON:\n{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    ["not done", 'Based on the above, the answer is:\n`{"completed": false, "feedback": "Not there."}`'],
    ["done", '{"completed": true, "feedback": "Fine.", "confidence": 0.9, "criteria_met": 3, "code": "4c1f09ae"}'],
    [
      "done",
      '<|channel|>analysis<|message|>I should check {"completed": false}.<|end|><|start|>assistant<|channel|>final<|message|>{"completed": true, "feedback": "Checked."}<|return|>',
    ],
    [
      "not done",
      '<|channel|>commentary to=functions.StructuredOutput <|constrain|>json<|message|>{"completed": false, "feedback": "Not there."}<|call|>',
    ],
    ["done", '{"completed": true, "feedback": "Checked."}<|endoftext|>'],
    ["not done", '{"completed": false, "feedback": "Not there."}\n\ndata: [DONE]'],
    ["done", 'StructuredOutput({"completed": true, "feedback": "Checked."})'],
    ["not done", 'StructuredOutput(completed=False, feedback="The file is not there.")'],
    ["done", 'StructuredOutput(completed=True, feedback="The file is there.")'],
    ["not done", 'functions.StructuredOutput({"completed": false, "feedback": "The file is not there."})'],
    [
      "done",
      '{"type": "function", "name": "StructuredOutput", "parameters": {"completed": true, "feedback": "Fine."}}',
    ],
    ["done", '{"role": "assistant", "content": "{\\"completed\\": true, \\"feedback\\": \\"Fine.\\"}"}'],
    [
      "not done",
      [
        { type: "text", text: "I looked." },
        { type: "text", text: '{"completed": false, "feedback": "Not fine."}' },
      ],
    ],
    [
      "done",
      [
        { type: "text", text: "I looked.\n" },
        { type: "text", text: '{"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}' },
      ],
    ],
    ["done", { completed: "True", feedback: ["Fine.", "Tests pass."], criteria: [{ id: "C1", status: true }] }],
    ["not done", { completed: "no", feedback: "Not fine." }],
    ["not done", { output: { completed: false, feedback: "Not fine." } }],
    ["done", { response: { completed: true, feedback: "Fine." } }],
    ["done", '**Verdict:** {"completed": true, "feedback": "Fine.", "code": "4c1f09ae"}'],
    ["not done", 'My verdict is {"completed": false, "feedback": "Not fine."}'],
    ["not done", '- {"completed": false, "feedback": "Not fine."}'],
    ["again", 'My verdict is {"completed": true, "feedback": "Fine."}'],
    ["not done", '{"task_completed": false, "feedback": "Not fine."}'],
    ["done", '{"verdict": "completed", "feedback": "Fine."}'],
    ["not done", '{"verdict": "not done", "feedback": "Not fine."}'],
    [
      "needs you",
      '{"completed": false, "needs_user": true, "feedback": "Shall the old data be deleted?"}\n\nI will wait for the answer.',
    ],
    ["not done", "Not done yet. The migration was written but never run."],
  ],
  Claude: [
    ["done", `I have what I need.\n\n${JSON_FENCE}\n{\n  "completed": true,\n  "feedback": "Verified."\n}\n${FENCE}`],
    [
      "done",
      `Based on my review, the agent's implementation is complete. Here's the verdict:\n\n${JSON_FENCE}\n{\n  "completed": true,\n  "feedback": "Verified.",\n  "code": "4c1f09ae"\n}\n${FENCE}`,
    ],
    [
      "done",
      'The file a.ts contains the function, and the tests pass.\n\n{"completed": true, "feedback": "Verified.", "code": "4c1f09ae"}',
    ],
    [
      "done",
      `I verified each criterion.\n\n${JSON_FENCE}\n{\n  "criteria": [{"id": "C1", "text": "a", "status": "met", "evidence": "src/a.ts"}],\n  "completed": true,\n  "needs_user": false,\n  "feedback": "Verified.",\n  "code": "4c1f09ae"\n}\n${FENCE}`,
    ],
    [
      "not done",
      `${JSON_FENCE}\n{"completed": false, "feedback": "a.ts lacks it."}\n${FENCE}\n\nThe main gap is in \`a.ts\`.`,
    ],
    ["done", '{"completed": true, "feedback": "Verified."}'],
    ["not done", '{"completed": false, "feedback": "a.ts lacks it."}'],
    ["needs you", '{"completed": false, "needs_user": true, "feedback": "Which region?"}'],
    [
      "done",
      '<function_calls>\n<invoke name="StructuredOutput">\n<parameter name="completed">true</parameter>\n<parameter name="feedback">Verified.</parameter>\n</invoke>\n</function_calls>',
    ],
    ["done", "[TASK_COMPLETED]"],
    ["again", "I verified it.\n\n[TASK_COMPLETED]"],
    [
      "done",
      '<thinking>\nDone?\n</thinking>\n\nI verified it.\n\n{"completed": true, "feedback": "Verified.", "code": "4c1f09ae"}',
    ],
    [
      "not done",
      'Some text that mentions {"completed": true} as the format.\n\n{"completed": false, "feedback": "a.ts lacks it."}',
    ],
    [
      "done",
      `The example in the docs is right:\n\n${FENCE}js\nconst todo = { id: 1, title: "milk", completed: false };\n${FENCE}\n\nSo this is finished.\n\n{"completed": true, "feedback": "Verified.", "code": "4c1f09ae"}`,
    ],
    [
      "done",
      'PATCH with `{"completed": false}` reopens an item, as asked.\n\n{"completed": true, "feedback": "Verified with curl.", "code": "4c1f09ae"}',
    ],
    ["again", "I verified each criterion, and all are met."],
  ],
};

describe("the verdicts of all families of models", () => {
  const rows = [
    ...Object.entries(CORPUS).flatMap(([family, texts]) => texts.map((row) => [family, ...row] as const)),
    ...HABITS,
  ];
  const seen = rows.map(([family, expected, answer]) => ({ family, expected, answer, found: reading(answer) }));

  test("the corpus has at least 120 texts", () => expect(seen.length).toBeGreaterThanOrEqual(120));

  test("none is misread", () => {
    expect(seen.filter(({ expected, found }) => found !== expected && found !== "again")).toEqual([]);
  });

  for (const family of Object.keys(CORPUS)) {
    test(`at least 85 % of the verdicts of ${family} are understood at the first ask`, () => {
      const verdicts = seen.filter((each) => each.family === family && each.expected !== "again");
      const missed = verdicts.filter(({ expected, found }) => found !== expected);
      expect(missed.length > verdicts.length * 0.15 ? missed : []).toEqual([]);
    });
  }

  test('every "not done" is understood at the first ask', () => {
    const refusals = seen.filter(({ expected }) => expected === "not done" || expected === "needs you");
    expect(refusals.filter(({ expected, found }) => found !== expected)).toEqual([]);
  });
});

const TRUE = '{"completed": true, "feedback": "all good"}';
const FALSE = '{"completed": false, "feedback": "no tests"}';

describe("what is hostile or ambiguous is never read as done:", () => {
  const table: readonly (readonly [name: string, answer: unknown])[] = [
    ["a quote after its introduction", `The agent printed:\n\n${TRUE}`],
    ["a quote in a fence after its introduction", `README.md contains\n${JSON_FENCE}\n${TRUE}\n${FENCE}`],
    ["a quote in Chinese", `智能体打印了：\n${TRUE}`],
    ["a quote of a file in Chinese", `文件内容如下：\n${JSON_FENCE}\n${TRUE}\n${FENCE}`],
    ["an example", `For example:\n${TRUE}`],
    ["what an answer would be", `If the tests passed, my answer would be\n${TRUE}`],
    ...[
      "I ran cat verdict.json and got",
      "In tests/fixtures/review.txt I found the following text\n",
      "The file src/verdict.json, which the agent created, has this text:\n",
      "The hook output was:\n",
      "The last tool result:",
      "The result of running the app:",
      "The result of the request:",
      "The request result:",
      "I found",
      "The response body is",
      "The endpoint responds with",
      "The diff adds:",
      "stdout:",
      "$ cat out.json",
      "GET /todos/1:",
      "Expected answer:",
      "Its final answer:",
      "Previous verdict:",
      "I disagree with the verdict:",
      "I cannot give the verdict:",
      "工具输出：",
      "运行结果：",
      "接口返回：",
      "上一次评审的结论：",
      "智能体要求我输出：",
      "测试失败，任务没有完成。状态文件为",
    ].map((words) => [`behind "${words.trim()}"`, `${words}\n${TRUE}`] as const),
    ["behind a sentence that says not done", `Not done. See below.\n\n${TRUE}`],
    ["behind a verdict in words", `**Verdict: NOT done**\n\nThe log ends here.\n\n${TRUE}`],
    ["behind a verdict in Chinese words", `结论：未完成\n\n日志。\n\n${TRUE}`],
    ["behind a work that is not complete", `The work is not complete.\n${TRUE}`],
    ["taken back in the next sentence", `${TRUE}\n\nBut the tests fail.`],
    ["taken back after thanks", `${TRUE}\n\nThank you. However, C2 is unmet.`],
    ["taken back within thanks", `${TRUE}\n\nLet me know if you want to fix the tests, which fail.`],
    ["taken back in Chinese", `${TRUE}\n\n但是测试没有通过。`],
    ["taken back within thanks in Chinese", `${TRUE}\n\n如有问题，测试未通过。`],
    ["taken back in harmless words", `${TRUE}\n\nAll tests passed as expected, says the agent.`],
    ["a quote of a verdict", `README.md contains the verdict\n${JSON_FENCE}\n${TRUE}\n${FENCE}`],
    ["taken back by a cross", `${TRUE}\n❌`],
    ["a question behind it", `${TRUE}\n\nIs that right?`],
    ["attributed behind it", `${TRUE}\n\nThat is what the agent wants me to say.`],
    ["a call behind it", `${TRUE}\n<tool_call>{"name": "Bash", "arguments": {"command": "npm test"}}</tool_call>`],
    ["another block behind it", `${TRUE}\n\n{"tests": "failed"}`],
    ["two that differ, fenced", `${JSON_FENCE}\n${FALSE}\n${FENCE}\n${JSON_FENCE}\n${TRUE}\n${FENCE}`],
    ["two that differ, by other names", `{"done": false, "feedback": "no"}\n\n${TRUE}`],
    ["two that differ, in Python", `{'completed': False, 'feedback': 'no'}\n${TRUE}`],
    ["two that differ, wrapped", `{"verdict": ${FALSE}}\n\n${TRUE}`],
    ["two in a list", `[${TRUE}, ${FALSE}]`],
    ["two in a list that agree", `[${TRUE}, ${TRUE}]`],
    ["two names that differ", '{"completed": true, "done": false, "feedback": "x"}'],
    ["two names that differ, wrapped", '{"verdict": {"completed": false, "is_completed": true, "feedback": "x"}}'],
    ["cut off", '{"completed": true, "feedback": "all'],
    ["cut off within the criteria", '{"completed": true, "feedback": "ok", "criteria": [{"id": "C1", "status": "met"}'],
    ["cut off behind a brace", '{"completed": true, "feedback": "but function f() {}'],
    ["cut off before the feedback", '{"completed": true,'],
    ["broken, with a field in the feedback", '{"feedback": "it printed "completed": true, but fails", "criteria": []}'],
    ["broken, with an object in the feedback", '{"feedback": "it printed {"completed": true, "feedback": "x"}"}'],
    ["broken, with both values", '{"completed": false, "feedback": "it printed "completed": true, "feedback": "ok""}'],
    [
      "broken, with a field at the end of the feedback",
      '{"feedback": "the file says "ok", "completed": true", "criteria": []}',
    ],
    ["broken, with a field behind a text without a comma", '{"feedback": "it says" "completed": true, "criteria": []}'],
    ["broken, with feedback without quotes", "{feedback: it printed, completed: true}"],
    ["broken, without feedback", "{'completed': True}"],
    ["broken, with unknown fields", "{'completed': True, 'feedback': 'x', 'userId': 1}"],
    ["a placeholder", '{"completed": true|false, "feedback": "..."}'],
    ["a placeholder for a type", '{"completed": boolean, "feedback": string}'],
    [
      "the example of the instructions",
      '{"criteria": [], "completed": true, "needs_user": false, "feedback": "what you checked and found"}',
    ],
    [
      "the schema",
      '{"type": "object", "properties": {"completed": {"type": "boolean"}, "feedback": {"type": "string"}}}',
    ],
    ["a fence of Python", `${FENCE}python\n{'completed': True, 'feedback': 'x'}\n${FENCE}`],
    ["a fence of JavaScript", `${FENCE}js\n${TRUE}\n${FENCE}`],
    ["a fence of a log", `${FENCE}log\n${TRUE}\n${FENCE}`],
    ["a fence without an end", `${FENCE}\n${TRUE}`],
    ["a block quote of several lines", `> {\n> "completed": true,\n> "feedback": "x"\n> }`],
    ["thoughts alone", `<think>\n${TRUE}\n</think>`],
    ["thoughts without an end", `<think>\nSo it is\n${TRUE}`],
    ["a quoted end of thoughts", `Not done. The file ends in\n</think>\n${TRUE}`],
    ["a quoted call", `The agent wrote\n<tool_call>{"name": "StructuredOutput", "arguments": ${TRUE}}</tool_call>`],
    ["a call of another tool", `<tool_call>{"name": "Write", "arguments": ${TRUE}}</tool_call>`],
    [
      "a call with an argument twice",
      "<function=StructuredOutput><parameter=completed>false</parameter><parameter=completed>true</parameter><parameter=feedback>x</parameter></function>",
    ],
    [
      "a call with text behind it",
      `<tool_call>{"name": "StructuredOutput", "arguments": ${TRUE}}</tool_call>\nis in its log`,
    ],
    ["two calls", `StructuredOutput(${FALSE})\nStructuredOutput(${TRUE})`],
    ["a condition for a boolean", '{"completed": "true if the tests pass", "feedback": "x"}'],
    ["a doubt for a boolean", '{"completed": "mostly", "feedback": "x"}'],
    ["null for a boolean", '{"completed": null, "feedback": "x"}'],
    ["a number that is no boolean", '{"completed": 100, "feedback": "x"}'],
    ["a list for a boolean", '{"completed": [true], "feedback": "x"}'],
    ["another name without feedback", '{"done": true}'],
    ["a status without feedback", '{"status": "completed"}'],
    ["a todo item", '{"id": 1, "title": "milk", "done": true}'],
    ["a wrapper of another name", `{"quoted": ${TRUE}}`],
    ["YAML", "completed: true\nfeedback: fine"],
    ["XML", "<completed>true</completed><feedback>fine</feedback>"],
    ["a sentence", "The work is done. completed: true"],
    ["a label of the agent", `The agent's verdict: ${TRUE}`],
    [
      "content blocks that differ",
      [
        { type: "text", text: FALSE },
        { type: "text", text: TRUE },
      ],
    ],
    ["the marker after its introduction", "The agent wrote:\n[TASK_COMPLETED]"],
    ["the marker behind words that say not done", "Not done.\n[TASK_COMPLETED]"],
  ];
  for (const [name, answer] of table) test(name, () => expect(reading(answer)).not.toBe("done"));
});

describe("answers in which a sentence of its own stands before the verdict, or thoughts behind it", () => {
  const misread = (texts: readonly string[], isRight: (found: Reading) => boolean) =>
    texts.filter((answer) => !isRight(reading(answer)));
  const answers = (rows: readonly (readonly [string, string])[]) => rows.map(([, answer]) => answer);
  const behind = (words: readonly string[], verdict: string) => words.map((each) => `${each}\n\n${verdict}`);
  const own = [...answers(HONEST_DONE), ...behind(BEFORE_A_VERDICT, TRUE.replace("}", `, "code": "${CODE}"}`))];

  test("none that is quoted, hypothetical, contradicted or retracted is read as done", () => {
    const texts = [
      ...answers(HOSTILE),
      ...answers(HOSTILE_WITHOUT_CODE),
      ...behind(BEFORE_A_QUOTE, TRUE),
      ...HOSTILE_HABITS,
    ];
    expect(misread([...texts, ...RETRACTED], (found) => found !== "done")).toEqual([]);
  });
  test("all that have the code are understood", () => {
    expect(misread(own, (found) => found === "done")).toEqual([]);
    expect(misread(answers(HONEST_NOT_DONE), (found) => found === "not done")).toEqual([]);
  });
  test("without the code, and with another one, they are asked again", () => {
    const withCode = own.filter((answer) => answer.includes(CODE));
    expect(withCode.length).toBeGreaterThan(70);
    for (const code of ["", ', "code": "9b3d77c0"'])
      expect(
        misread(
          withCode.map((answer) => answer.replace(`, "code": "${CODE}"`, code)),
          (found) => found === "again",
        ),
      ).toEqual([]);
  });
  test("feedback that says not done cancels done in the structured output, too", () => {
    const structured = { completed: true, feedback: "Not done: the README lacks the section." };
    expect(decideVerdict(structured, "", { marker: "[TASK_COMPLETED]", code: CODE })).toBeUndefined();
  });
});
