import { expect, test } from "bun:test";
import { type ReviewedFacts, sessionFindings } from "../../../../src/commands/review/session-findings.ts";

const prompt = (text: string) => ({ id: undefined, uuid: undefined, byUser: true, text });
const ANSWER = { at: "", cwd: "/p", promptId: undefined, prompt: "do it", stopHooks: [] };
const INSTRUCTIONS = { path: "/p/SUPERVISOR.md", text: "look" };
const FINISHED: ReviewedFacts = {
  launched: undefined,
  instructions: INSTRUCTIONS,
  leftOut: [],
  project: "/p",
  prompts: [prompt("do it")],
  answer: ANSWER,
  isBaselineOlder: false,
};

const UNFINISHED = /^The agent's last turn did not end by itself:/;

test.each<[string, Partial<ReviewedFacts>, RegExp[]]>([
  ["an ordinary session", {}, []],
  ["a supervised one with its instructions", { launched: INSTRUCTIONS }, []],
  [
    "instructions that changed since",
    { launched: { ...INSTRUCTIONS, text: "x" } },
    [/^\/p\/SUPERVISOR.md changed after/],
  ],
  ["checks that nobody agreed to", { leftOut: ["make"] }, [/^1 check in SUPERVISOR.md did not run/]],
  ["no answer, or an interrupted one", { answer: undefined }, [UNFINISHED]],
  ["a later prompt without an answer", { prompts: [prompt("do it"), prompt("now this")] }, [UNFINISHED]],
  ["a command of Claude Code's after it", { prompts: [prompt("do it"), prompt("<local-command-stdout>x")] }, []],
  ["a prompt that is too far back to be found", { answer: { ...ANSWER, prompt: undefined } }, []],
  [
    "a session that went on without supervision",
    { isBaselineOlder: true },
    [/^The session went on without supervision/],
  ],
])("%s", (_, facts, wanted) => {
  const found = sessionFindings({ ...FINISHED, ...facts });
  expect(found).toHaveLength(wanted.length);
  for (const [index, pattern] of wanted.entries()) expect(found[index]).toMatch(pattern);
});
