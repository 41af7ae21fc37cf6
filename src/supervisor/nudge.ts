import { transcriptEnd } from "../claude/transcript.ts";
import { canDo } from "../claude/versions.ts";
import { MOST_NUDGES } from "../config/defaults.ts";
import { asObject, isObject, parseJson } from "../text/json.ts";
import { NUDGES, type NudgeReason, type Outcome } from "./outcome.ts";
import { bestEffort } from "./project.ts";
import { reviewState } from "./record/state.ts";
import { awaitTranscript, readTranscript } from "./record/transcript.ts";
import type { Stop } from "./review/stop.ts";

/**
 * Sends the agent back to work if it stopped by accident: no reviewer, no model, no round. Undefined if the stop has to
 * be reviewed: it may be intended, or there were three nudges already.
 */
export async function nudgeStop(stop: Stop): Promise<Outcome | undefined> {
  const { world, options, asked, log, tasks } = stop;
  // The agent may wait for what runs in the background: that wakes it.
  if (!options.nudge || stop.isStandalone === true || tasks.some(({ status }) => status === "running"))
    return undefined;
  const message = await lastMessage(stop);
  const why = message && nudgeFor(message);
  if (why === undefined) return undefined;
  const claim = {
    sessionId: stop.id,
    userPromptId: asked.userPromptId,
    seen: asked.seen,
    limit: options.max_iterations,
    budget: options.budget_tokens,
    agentTokens: stop.agentTokens,
    now: world.now().toISOString(),
  };
  // Without a count the nudges could be endless.
  const [state] = stop.states;
  const number = state && bestEffort(log.say, "count the nudge", () => reviewState(state).nudge(claim));
  if (number === undefined) return undefined;
  log.say(`nudge ${number} of ${MOST_NUDGES}: ${NUDGES[why].text}`);
  return { kind: "nudged", why, number, feedback: NUDGES[why].feedback };
}

/** The agent's last message, if it is certain. */
async function lastMessage({ answer, event, launch, transcript }: Stop): Promise<LastMessage | undefined> {
  const text = answer ?? "";
  // An older Claude Code does not report the answer, which says nothing about it.
  if (text.trim() === "" && event !== undefined && !canDo(launch.version, "lastAnswers")) return undefined;
  // The answer is in a tool call.
  const isIn = (found: boolean) => found;
  if (text.trim() === "" && transcript && (await awaitTranscript(transcript, endsInSchema, isIn))) return undefined;
  const mayBeCut = text.trim() !== "" && !FINISHED.test(text.trimEnd());
  return {
    text,
    stopReason: mayBeCut && transcript !== undefined ? await readStopReason(transcript, text) : undefined,
  };
}

/** Whether a turn ended with an answer in a schema, after which Claude Code ignores feedback. */
export async function endsInSchema(transcript: string): Promise<boolean> {
  return (await readEnd(transcript)).isInSchema();
}

async function readEnd(transcript: string) {
  const lines: string[] = [];
  await readTranscript(transcript, (line) => void lines.push(line), LONGEST_END);
  return transcriptEnd(lines);
}

/** Why the model ended this answer; undefined if the transcript does not say so within a second. */
async function readStopReason(transcript: string, answer: string): Promise<string | undefined> {
  const read = async (path: string) => (await readEnd(path)).stopReason(answer);
  return awaitTranscript(transcript, read, (found) => found !== undefined);
}

const LONGEST_END = 250_000;

/** A text that ends like this was hardly cut off by a limit: not worth reading the transcript. */
const FINISHED = /[.!?:。！？：…`|)）\]】"”」>*]$/;

interface LastMessage {
  /** What the user sees of it. */
  readonly text: string;
  /** The stop reason in the transcript, if known. */
  readonly stopReason?: string | undefined;
}

/**
 * Why a message cannot be the end of the work; undefined if it may be. A wrong nudge costs the user more than a missed one, which
 * a review finds anyway: in doubt there is none.
 */
export function nudgeFor({ text, stopReason }: LastMessage): NudgeReason | undefined {
  // Longer ones are hardly ever accidents.
  if (text.length > LONGEST_MESSAGE) return cutOff(stopReason);
  const said = spokenPart(text);
  if (said === "") return "empty";
  const visible = withoutQuotes(said);
  if (isToolCall(said, visible)) return "tool_call";
  return cutOff(stopReason) ?? (isAnnouncement(visible) ? "announcement" : undefined);
}

const LONGEST_MESSAGE = 20_000;

function cutOff(stopReason: string | undefined): "cut_off" | undefined {
  return stopReason !== undefined && CUT_OFF.includes(stopReason) ? "cut_off" : undefined;
}

/** Claude Code itself continues after `max_tokens`; servers that translate other APIs have their own names for it. */
const CUT_OFF: readonly string[] = ["max_tokens", "length", "model_context_window_exceeded"];

/**
 * A text without the thinking and the end tokens that some servers pass on. DeepSeek writes its tokens with other
 * characters.
 */
function spokenPart(text: string): string {
  const plain = text.replaceAll("｜", "|").replaceAll("▁", "_").trim();
  const said = withoutEndTokens(withoutThinking(withoutEndTokens(plain)));
  return said === "(no content)" ? "" : said;
}

function withoutEndTokens(text: string): string {
  let rest = text.trim();
  for (let found = END_TOKEN.exec(rest); found !== null; found = END_TOKEN.exec(rest))
    rest = rest.slice(0, found.index).trimEnd();
  return rest;
}

const END_TOKEN =
  /(?:<\|(?:im_end|endoftext|end|eot_id|eom_id|return|user|observation|end_of_sentence|end_of_text)\|>|<\/s>|<eos>|<end_of_turn>|\[EOS\]|\[e~\[)$/;

function withoutThinking(text: string): string {
  let rest = text;
  for (let found = THOUGHT.exec(rest); found !== null; found = THOUGHT.exec(rest))
    rest = rest.slice(found[0].length).trimStart();
  // Thinking that does not end. A sentence that begins with the tag's name continues on the same line.
  if (/^(?:<(?:think|thinking|reasoning)>|◁think▷)[ \t]*\r?\n/.test(rest) && !CLOSED.test(rest)) return "";
  // The server swallowed their beginning.
  return /\n<\/(?:think|thinking|reasoning)>$/.test(rest) && !/<(?:think|thinking|reasoning)>/.test(rest) ? "" : rest;
}

/** Some words of thinking at the beginning, not just the two tags. */
const THOUGHT =
  /^(?:<(think|thinking|reasoning)>(?:(?!<\/\1>)[\s\S]){12,}<\/\1>|◁think▷(?:(?!◁\/think▷)[\s\S]){12,}◁\/think▷)\s*/;
const CLOSED = /<\/(?:think|thinking|reasoning)>|◁\/think▷/;

/** The text with everything quoted replaced by spaces: fenced, inline and indented code, and block quotes. */
function withoutQuotes(text: string): string {
  let fence = "";
  let isIndented = false;
  let before = "";
  const lines = text.split("\n").map((line) => {
    const [, ticks = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    const wasFenced = fence !== "";
    if (fence === "") fence = ticks;
    else if (ticks.startsWith(fence)) fence = "";
    const isCode = /^(?: {4}|\t)/.test(line);
    // Code begins after an empty line; elsewhere it is the rest of a paragraph or of a call.
    isIndented = isCode && (isIndented || before.trim() === "");
    before = line;
    const isQuoted = wasFenced || fence !== "" || isIndented || /^\s*>/.test(line);
    return isQuoted
      ? " ".repeat(line.length)
      : line.replaceAll(/(`+)(?!`)[\s\S]*?\1/g, (code) => " ".repeat(code.length));
  });
  return lines.join("\n");
}

/** Whether the message ends in a call of one of Claude Code's tools, written the way models write calls. */
function isToolCall(said: string, visible: string): boolean {
  const bare = calledIn(said);
  if (bare !== undefined) return isKnownTool(bare) && !mayNeedApproval(bare, said);
  const at = visible.search(OPENING);
  if (at === -1) return false;
  const before = said.slice(0, at);
  const call = said.slice(at);
  if (ABOUT_CALLS.test(before)) return false;
  if (ONLY_OPENINGS.test(call)) return before.trim() !== "" && /\n\s*$/.test(before);
  const head = call.slice(0, LONGEST_HEAD);
  const name = [TOOL_NAME, NAME_IN_JSON].map((pattern) => pattern.exec(head)?.[1] ?? "").find(isKnownTool) ?? "";
  if (!isKnownTool(name) || mayNeedApproval(name, call)) return false;
  const ends = [...call.matchAll(CLOSING)].at(-1);
  const after = ends === undefined ? "" : call.slice(ends.index + ends[0].length).trim();
  return after === "" || CONTINUED.test(after);
}

/** GLM, Qwen, Kimi, DeepSeek, MiniMax, and what others use: Mistral, GPT, Seed. */
const OPENING =
  /<\|tool_calls?(?:_section)?_begin\|>|<\|DSML\|(?:function_calls|tool_calls|invoke)\b|<(?:\w+:)?(?:tool_calls?|toolcall|function_calls?)>|<(?:\w+:)?invoke name=|<function=\w|\[TOOL_CALLS\]|<\|channel\|>commentary to=|functions\.\w+:\d+\s*<\|tool_call_argument_begin\|>/;
const ONLY_OPENINGS = new RegExp(`^(?:(?:${OPENING.source})\\s*)+$`);
const CLOSING =
  /<\|tool_calls?(?:_section)?_end\|>|<\/\|DSML\|\w+>|<\/(?:\w+:)?(?:tool_calls?|toolcall|function_calls?|invoke|function|parameter|arg_value)>|<\|call\|>|\[\/TOOL_CALLS\]/g;
/** A second call, or more of the same one, that was cut off. */
const CONTINUED = new RegExp(`^(?:${OPENING.source}|<(?:arg_key|arg_value|parameter|\\|DSML\\|parameter)\\b)`);
/** The first name after the opening tags. */
const TOOL_NAME =
  /^(?:(?:<(?:\w+:)?(?:tool_calls?|toolcall|function_calls?)>|<\|tool_calls?(?:_section)?_begin\|>|<\|DSML\|(?:function|tool)_calls>|\[TOOL_CALLS\])\s*)*(?:function<\|tool_sep\|>|<function=|<(?:\w+:|\|DSML\|)?invoke name=["']?|<function name=["']?|<\|channel\|>commentary to=|\[?\s*\{\s*["'](?:name|tool|function)["']\s*:\s*["']|\[?\s*\{[^{}]{0,80}["']name["']\s*:\s*["'])?\s*(?:functions?[.:])?(\w+)/;
const NAME_IN_JSON = /^(?:<[^<>]+>\s*)+\{[\s\S]*["']name["']\s*:\s*["'](\w+)["']/;
const LONGEST_HEAD = 400;

/** The tool, if the message is nothing but the call in JSON. */
function calledIn(said: string): string | undefined {
  if (!said.startsWith("{") || !said.endsWith("}")) return undefined;
  const { name, arguments: given, parameters = given, input = parameters } = asObject(parseJson(said));
  return typeof name === "string" && isObject(input) ? name : undefined;
}

/** The message is about tool calls or what models write, so it may well quote one. */
const ABOUT_CALLS =
  /tool[ _-]?calls?\b|function[ _-]?call|\binvoke\b|\btags?\b|\bexample|\bsample\b|\be\.g\.|\bsuch as\b|\bfor instance\b|\blike this\b|looks? like|\bemit|\boutputs?\b|\bleak|\bdialect|\btemplate|\bprints?\b|\bformat|工具调用|标签|例如|比如|示例|例子|形如|格式|输出|模板|如下/i;

function isKnownTool(name: string): boolean {
  return TOOLS.has(name.toLowerCase()) || name.startsWith("mcp__");
}

const TOOLS: ReadonlySet<string> = new Set(
  "agent askuserquestion bash bashoutput edit enterplanmode exitplanmode glob grep killbash killshell ls lsp monitor multiedit notebookedit notebookread read sendmessage skill slashcommand structuredoutput task taskcreate taskget tasklist taskoutput taskstop taskupdate todoread todowrite toolsearch webfetch websearch workflow write".split(
    " ",
  ),
);

/**
 * Whether a call may need the user's approval. ccc does not nudge the agent to make it: a reviewer decides. Claude Code's
 * other tools stay in the project.
 */
function mayNeedApproval(name: string, call: string): boolean {
  if (name.startsWith("mcp__")) return !/_(?:get|list|read|search|find|query|fetch|resolve)/i.test(name);
  return name.toLowerCase() === "bash" && RISKY_COMMAND.test(call);
}

const RISKY_COMMAND =
  /\b(?:push|publish|deploy|release|rm\s+-|rmdir|drop\s|truncate|destroy|delete|terraform|kubectl|helm|aws|gcloud|az|heroku|vercel|gh\s|twine|ssh|scp|rsync|sendmail|mail|merge|--force|--hard|migrat|sudo|chmod|kill|dd\s|curl\s[^\n]{0,500}?(?:-X|--request|-d\b|--data)|login|token|secret|password)/i;
/** Destructive actions, and actions that others notice. */
const RISKY_ACT =
  /\b(?:push|publish|deploy|releas(?:e|ing)|remov|delet|drop|truncat|destroy|wip(?:e|ing)|clean|reset|revert|production|credential|secret|password|token|api[ _-]?key|purchas|pay|buy|send|e-?mail|post|notify|merg(?:e|ing)|forc(?:e|ing)|migrat|upload|account)|推送|发布|部署|上线|删除|清空|清理|重置|回滚|付款|支付|购买|密钥|密码|凭据|发送|邮件|通知|合并|迁移|上传|生产环境/i;

/** Whether the last sentence announces a step of the agent's that should have followed. */
function isAnnouncement(visible: string): boolean {
  const lines = visible.split("\n");
  const last = (lines.at(-1) ?? "").trim();
  // The message ends in a quote, a list, a heading or a table.
  if (last === "" || /^(?:[-*+•]\s|\d+[.)、]|#|\|)/.test(last)) return false;
  const line = last.replaceAll(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, "").trim();
  if (/[?？]/.test(line) || line.length > LONGEST_ANNOUNCEMENT || RISKY_ACT.test(line)) return false;
  const sentence = lastSentence(line);
  const isOpen = /(?::|：|\.\.\.|…|——)$/.test(sentence);
  if (isOpen) return (OPEN_ENGLISH.test(sentence) && !HEDGED.test(sentence)) || isOpenChinese(sentence);
  // A full stop may also end a promise for later, or a plan.
  if (lines.filter((each) => /^\s*(?:[-*+•]\s|\d+[.)、]\s?)/.test(each)).length > 1) return false;
  // What follows a colon may be what was announced.
  if (/[:：]\s*\S/.test(sentence)) return false;
  if (ENGLISH.test(sentence)) return !HEDGED.test(sentence) && !LATER.test(sentence.replace(LEADING, ""));
  return CHINESE.test(sentence) && !isHedgedChinese(sentence);
}

const LONGEST_ANNOUNCEMENT = 300;

function lastSentence(line: string): string {
  return line.split(/(?<=[.!](?<!\.\.))\s+(?=\S)|(?<=[。！])(?=\S)/).at(-1) ?? line;
}

const LEAD =
  "(?:(?:ok(?:ay)?|alright|all right|great|good|perfect|excellent|sure|right|now|next|first|then|finally|so|and|but|also|well|got it|understood|i see|hmm)[,!:;–—-]*\\s+)*";
/** "Next, let me …" is no promise for later. */
const LEADING = new RegExp(`^${LEAD}`, "i");
const ADVERBS =
  "(?:(?:now|next|first|then|also|just|quickly|start by|begin by|go ahead and|proceed to|immediately|actually|simply|carefully)\\s+)*";
const ACTS =
  "run|re-?run|execute|check|re-?check|double-check|read|re-?read|look|inspect|examine|explore|view|open(?! (?:with|up)\\b)|search|grep|find|list|create|write|add(?! that\\b)|update|edit|modify|change|fix|implement|refactor|rewrite|replace|rename|install|build|rebuild|compile|test|verify|validate|debug|investigate|analy[sz]e|(?:start|begin)(?! (?:by saying|with the)\\b)|continue|proceed|apply|generate|fetch|trace|locate|set up";
const DOING =
  "(?:running|checking|reading|looking|searching|creating|writing|updating|fixing|installing|building|testing|verifying|starting|continuing|implementing|editing|inspecting|exploring|analy[sz]ing|adding|applying|executing)(?!\\s+(?:is|was|has|as|on|under|from|smoothly)\\b)";

const OPEN_ENGLISH = new RegExp(
  `^${LEAD}(?:(?:let me|let's|let us|i['’]?ll|i will|i['’]m going to|i am going to|i['’]m about to|we['’]ll|time to|i need to|i have to|i should|i want to)\\s+${ADVERBS}(?:${ACTS}|try|make|see|get|use|take|locate|reproduce|confirm|review)|(?:i['’]m\\s+)?(?:now\\s+)?(?:${DOING}))\\b`,
  "i",
);
const ENGLISH = new RegExp(
  `^${LEAD}(?:let me|i['’]?ll|i will|i['’]m going to|i am going to)\\s+${ADVERBS}(?:${ACTS})\\b`,
  "i",
);
/** Addressed to the user, or depends on something. */
const HEDGED = /\b(?:you|your|yours|if|unless|would|could|might|may|whether|either)\b/i;
const LATER =
  /\b(?:once|when|whenever|until|after|before|later|follow[- ]?ups?|next|tomorrow|future|from now on|from here on|going forward|separate(?:ly)?|not|never|no longer|continue to|wait|meanwhile|back ?log|notes?|as needed|always|manually|in mind|again|soon|in v\d\S*)\b|n['’]t\b/i;

const ACTS_CHINESE =
  "运行|执行|跑|检查|查看|看看|看一下|看下|读取|阅读|读一下|打开|搜索|查找|查询|创建|新建|编写|写入|写一|更新|修改|修复|修正|编辑|添加|增加|实现|重构|替换|安装|构建|编译|测试|验证|调试|分析|调查|排查|继续|开始|启动|生成|补充|完善|调整|定位|处理";
const LEAD_CHINESE =
  "(?:(?:好的?|明白了?|收到|没问题|很好|太好了|嗯|那么|首先|接下来|下面|现在|然后|接着|下一步|最后)[，,！!\\s]*)*";
/** "我将其…" and "我将结果…" tell what was done. */
const CHINESE = new RegExp(
  `^${LEAD_CHINESE}(?:(?:让我们?|我来|我会|我先|我现在|我再|我这就|我马上)[^，。；：:]{0,10}?|我将(?:先|再|继续|立即|马上|现在|开始|首先|逐一|重新|进一步)*(?:[对通][^，。；：:]{1,9}?)?\\s*)(?:${ACTS_CHINESE})`,
);
const STEP_CHINESE = new RegExp(
  `^(?:(?:接下来|接着|下面|现在|首先|然后|下一步|开始|继续|正在|先)[，,是]?\\s*(?:先|将|要|来|开始|继续)?|我(?:需要|要|得)(?:先|再|去|来)?)(?:${ACTS_CHINESE})`,
);
const HEDGED_CHINESE =
  /[您你]|如果|若|假如|请|吗|是否|等待|等到|稍后|以后|后续|之后|之前|一旦|除非|今后|下次|不|可以|建议|关注|保持|遵循|遵守|记住|注意|时再|(?<!然)后再/;
/** What is done is no announcement, nor is a promise. */
const DONE_CHINESE = /已|了(?!解)|过(?![程滤])|的是|好的/;

function isOpenChinese(sentence: string): boolean {
  if (CHINESE.test(sentence) || STEP_CHINESE.test(sentence)) return !isHedgedChinese(sentence);
  // "There are two failures, I fix them:"
  const clause = sentence.split(/[，,]\s*/).at(-1) ?? "";
  return CHINESE.test(clause) && !HEDGED_CHINESE.test(sentence) && !DONE_CHINESE.test(clause);
}

function isHedgedChinese(sentence: string): boolean {
  const rest = sentence.replace(new RegExp(`^${LEAD_CHINESE}`), "");
  return HEDGED_CHINESE.test(sentence) || DONE_CHINESE.test(rest);
}
