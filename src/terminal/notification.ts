import { shortLine } from "../text/words.ts";
import type { Env } from "../world.ts";

/**
 * What makes a terminal show a desktop notification. There are two dialects: a terminal that understands both would show
 * it twice, so it gets OSC 9 alone; one that is not known gets both and ignores what it does not understand.
 */
export function notification(title: string, text: string, { TERM = "", TERM_PROGRAM = "", VTE_VERSION }: Env): string {
  const line = notificationText(`${title}: ${text}`);
  const osc9 = `${OSC}9;${line}${BEL}`;
  const osc777 = `${OSC}777;notify;${notificationText(title).replaceAll(";", ",")};${notificationText(text)}${BEL}`;
  if (BOTH.test(TERM_PROGRAM) || /kitty|ghostty/.test(TERM)) return osc9;
  if (VTE_VERSION !== undefined || /^(foot|rxvt)/.test(TERM)) return osc777;
  return osc9 + osc777;
}

/** For a terminal inside tmux, which passes it on if `allow-passthrough` is on. */
export function throughTmux(bytes: string, { TMUX }: Env): string {
  return TMUX ? `${ESC}Ptmux;${bytes.replaceAll(ESC, ESC + ESC)}${ESC}\\` : bytes;
}

const ESC = "\u001b";
const OSC = `${ESC}]`;
const BEL = "\u0007";
const BOTH = /^(iTerm\.app|WezTerm|ghostty|WarpTerminal)$/;

/** Nothing in it can end the sequence or begin another. */
export function notificationText(text: string): string {
  return shortLine(text, LONGEST);
}

/** Claude Code accepts 4,096 bytes for all of it. */
const LONGEST = 300;
