import { inFourRoles, LONG_AND_QUIET } from "./common-values.ts";
import type { Preset } from "./preset.ts";

const MINIMAX = ["稀宇", "稀宇科技", "海螺"];

/** One address, and two kinds of keys: each is served other models. */
export const MINIMAX_PRESETS: readonly Preset[] = [
  {
    name: "minimax",
    label: "MiniMax, pay as you go or Token Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimax.io/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.io/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/token-plan/claude-code.md",
    asOf: "2026-11-16",
    note: "The model is from platform.minimax.io/docs/token-plan/agent-setup, its window from docs/guides/text-generation.",
  },
  {
    name: "minimax-cn",
    label: "MiniMax, China, pay as you go or Token Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimaxi.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.cn/user-center/payment/token-plan",
    source: "https://platform.minimaxi.com/docs/token-plan/claude-code.md",
    asOf: "2026-11-16",
    note: "The model is from platform.minimaxi.com/docs/token-plan/agent-setup.md.",
  },
  {
    name: "minimax-plan",
    label: "MiniMax M Plan",
    aliases: MINIMAX,
    baseUrl: "https://api.minimax.io/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3.1-Flash-Preview[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.io/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/m-plan/claude-code",
    asOf: "2026-11-16",
    note: "Only a key of this plan is served M3.1. The window is from platform.minimax.io/docs/guides/text-generation.",
  },
  {
    name: "minimax-plan-cn",
    label: "MiniMax M Plan, China",
    aliases: MINIMAX,
    baseUrl: "https://api.minimaxi.com/anthropic",
    token: "ANTHROPIC_AUTH_TOKEN",
    models: inFourRoles("MiniMax-M3.1-Flash-Preview[1m]"),
    contextWindow: 1_000_000,
    extraEnv: LONG_AND_QUIET,
    keyUrl: "https://platform.minimax.cn/user-center/payment/token-plan",
    source: "https://platform.minimax.io/docs/m-plan/claude-code",
    asOf: "2026-11-16",
    note: "The international page; its Chinese one was not at hand.",
  },
];
