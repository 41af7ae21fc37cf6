import { CccError } from "../io/errors.ts";

/** Variables that would run code in claude, in ccc's hook or in the agent's shell, or steer ccc. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/^BUN_(OPTIONS|BE_BUN|INSPECT.*|CONFIG_.*)$/, "it changes what Bun programs do, Claude Code and ccc among them"],
  [/^NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE)$/, "it loads code into Node programs"],
  [/^(LD|DYLD)_.*$/, "it loads code into every program"],
  [/^(BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|ZDOTDIR)$/, "it runs code in every shell"],
  [/^(PERL5OPT|RUBYOPT|PYTHONSTARTUP|JAVA_TOOL_OPTIONS)$/, "it loads code into other programs"],
  [/^GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|EXEC_PATH|PROXY_COMMAND|ASKPASS)$/, "it runs code in git"],
  [/^CCC_.*$/, "it steers ccc itself"],
];

/** Refuses an env block of ccc.json that holds more than a provider's business. */
export function refuseForbidden(names: Iterable<string>, field: string): void {
  for (const name of names) {
    const rule = FORBIDDEN.find(([pattern]) => pattern.test(name.toUpperCase()));
    if (rule !== undefined) {
      throw new CccError(`${field}.${name}: not allowed in ccc.json, because ${rule[1]}`, {
        advice: "Remove it there; set it in your shell if you need it.",
      });
    }
  }
}
