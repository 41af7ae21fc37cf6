import { SESSION_COMMAND } from "../../claude/plugin.ts";

export const SESSION_WORDS = ["on", "off", "status", "now"] as const;

/** What the user asks for in a session; "help" for anything else after the command. */
export type SessionWord = (typeof SESSION_WORDS)[number] | "help";

/** The command in a prompt, undefined if it is not one. Alone, it asks for the status. */
export function readSessionCommand(prompt: string): SessionWord | undefined {
  const [command, word = "status", ...rest] = prompt.trim().split(/\s+/);
  if (command !== SESSION_COMMAND) return undefined;
  const known = SESSION_WORDS.find((each) => each === word.toLowerCase());
  return known === undefined || rest.length > 0 ? "help" : known;
}

export const SESSION_HELP = `${SESSION_COMMAND} takes one of these words:
  on      review every stop of this session, from the next one on
  off     review no more stops of this session
  status  reviews, criteria, last verdict, tokens and reviewer (also without a word)
  now     review the next stop, even if it would be skipped`;
