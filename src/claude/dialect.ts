import { isOn } from "./clouds.ts";
import { TOOL_SEARCH } from "./foreign-models.ts";

/** What Claude Code 2.1.325 puts into the requests for a model that it does not know, as measured. */
export interface Dialect {
  /** Fields and features that are still in beta. */
  readonly betas: boolean;
  readonly thinking: boolean;
  readonly effort: boolean;
  /** Messages of the role "system" within a conversation. */
  readonly systemMessages: boolean;
  readonly maxTokens: number;
}

type Variables = Readonly<Record<string, string>>;

const NO_BETAS = "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
const THINKING = "MAX_THINKING_TOKENS";
const EFFORT = "CLAUDE_CODE_EFFORT_LEVEL";
const MAX_OUTPUT = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";

/** The dialect with these variables. */
export function dialectOf(env: Variables): Dialect {
  return {
    betas: !isOn(env[NO_BETAS] ?? ""),
    thinking: env[THINKING] !== "0" && !isOn(env.CLAUDE_CODE_DISABLE_THINKING ?? ""),
    effort: !["auto", "unset"].includes(env[EFFORT] ?? ""),
    systemMessages: true,
    maxTokens: Number(env[MAX_OUTPUT]) || 32_000,
  };
}

/** Whether Claude Code defers tools behind `tool_reference` with these variables. */
export function usesToolSearch(env: Variables): boolean {
  return dialectOf(env).betas && !/^(false|0|no|off)$/i.test(env[TOOL_SEARCH] ?? "");
}

/** A setting that makes Claude Code say less, for servers that reject what it says. */
export interface SimplerDialect {
  /** Undefined if Claude Code has no such setting. */
  readonly setting: string | undefined;
  readonly what: string;
  /** What a server's complaint about it mentions. */
  readonly hint: RegExp;
  /** The complaints after which Claude Code leaves it out by itself. */
  readonly adapts?: RegExp;
  readonly simplify: (dialect: Dialect) => Dialect;
}

export const SIMPLER_DIALECTS: readonly SimplerDialect[] = [
  {
    setting: `${NO_BETAS}=1`,
    what: "beta features",
    hint: /beta|context.management/i,
    adapts: /context_management: Extra inputs are not permitted/,
    simplify: (each) => ({ ...each, betas: false }),
  },
  {
    setting: `${THINKING}=0`,
    what: "the field thinking",
    hint: /thinking|adaptive/i,
    simplify: (each) => ({ ...each, thinking: false }),
  },
  {
    setting: `${EFFORT}=auto`,
    what: "the field output_config",
    hint: /output_config|effort/i,
    simplify: (each) => ({ ...each, effort: false }),
  },
  {
    setting: `${MAX_OUTPUT}=8192`,
    what: "answers of up to 32,000 tokens",
    hint: /max_tokens|max_output|32000/i,
    simplify: (each) => ({ ...each, maxTokens: Math.min(each.maxTokens, 8192) }),
  },
  {
    setting: undefined,
    what: "system messages within a conversation",
    hint: /role|system/i,
    adapts: /unexpected role "system"/i,
    simplify: (each) => ({ ...each, systemMessages: false }),
  },
];
