import type { Ask } from "../../../../src/terminal/dialog.ts";

/**
 * A user who answers each question by a part of it; several answers to one are given in turn, and an empty one accepts what
 * is preset. `said` has the questions, what could be chosen, and why an answer was rejected.
 */
export function scriptedAsk(answers: Readonly<Record<string, string | readonly string[]>>): {
  ask: Ask;
  said: string[];
} {
  const said: string[] = [];
  const given = new Map<string, number>();
  const answer = (question: string) => {
    said.push(question);
    const key = Object.keys(answers).find((each) => question.includes(each));
    if (key === undefined) throw new Error(`not expected: ${question}`);
    const nth = given.get(key) ?? 0;
    given.set(key, nth + 1);
    const text = [answers[key] ?? []].flat()[nth];
    if (text === undefined) throw new Error(`asked too often: ${question}`);
    return text;
  };
  const checked = (question: string, check: (answer: string) => string | undefined = () => undefined): string => {
    const text = answer(question);
    const problem = check(text);
    if (problem === undefined) return text;
    said.push(`rejected: ${problem}`);
    return checked(question, check);
  };
  const ask: Ask = {
    choose: async (question, options) => {
      const choice = answer(question);
      said.push(...options.map(({ value, label }) => `${value}: ${label}`));
      return choice;
    },
    text: async (question, { preset = "", check } = {}) =>
      checked(question, (text) => check?.(text || preset)) || preset,
    secret: async (question, check) => checked(question, check),
    confirm: async (question, preset) => {
      const text = answer(question);
      return text === "" ? preset : text === "yes";
    },
  };
  return { ask, said };
}
