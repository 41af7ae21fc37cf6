import { namedModels } from "../../claude/model.ts";
import type { Identity } from "../../providers/isolate.ts";
import type { Fetch } from "../../world.ts";
import { checkAbilities, type Tokens } from "./abilities.ts";
import { type DeepCheck, failed } from "./deep-checks.ts";
import { testedModel, validateProvider } from "./validate.ts";
import type { Validation } from "./validation.ts";

export interface DeepValidation extends Validation {
  readonly checks: readonly DeepCheck[];
  /** How many requests were made, and what they cost as far as the server told. */
  readonly requests: number;
  readonly tokens: Tokens;
}

export const NOTHING_ASKED = { checks: [], requests: 0, tokens: { input: 0, output: 0 } };

/** The most requests that one provider can get: itself, its other models, its abilities, and the search for a setting. */
export const MOST_REQUESTS = 16;

/** Tests a provider for everything that Claude Code needs of it. */
export async function deepValidate(identity: Identity, fetch: Fetch, timeoutMs: number): Promise<DeepValidation> {
  const { env } = identity;
  let requests = 0;
  const counting: Fetch = (url, init) => {
    requests++;
    return fetch(url, init);
  };
  const plain = await validateProvider(identity, counting, timeoutMs);
  if (plain.cause !== "answered") return { ...plain, ...NOTHING_ASKED, requests };
  const model = testedModel(env);
  const [models, { checks: abilities, tokens }] = await Promise.all([
    checkModels(identity, model, counting, timeoutMs),
    checkAbilities({ env, model }, counting, timeoutMs),
  ]);
  const checks = [...models, ...abilities];
  const missing = checks.filter(({ status }) => status === "invalid").map(({ check }) => check.replace("_", " "));
  const verdict: Validation =
    missing.length === 0
      ? plain
      : {
          status: "invalid",
          cause: "incomplete",
          detail: `${plain.detail}, but lacks: ${missing.join(", ")}`,
          advice: "",
        };
  return { ...verdict, checks, requests, tokens };
}

/** Every model that the provider names, one request each. The main one has already answered. */
function checkModels({ env }: Identity, main: string, fetch: Fetch, timeoutMs: number): Promise<DeepCheck[]> {
  const named = [...namedModels(env)];
  const all = named.some(([model]) => model === main) ? named : [[main, []] as const, ...named];
  return Promise.all(
    all.map(async ([model, variables]): Promise<DeepCheck> => {
      const row = { check: "model" as const, model };
      const roles = variables.length === 0 ? model : `${model} (${variables.map(roleName).join(", ")})`;
      if (model === main) return { ...row, status: "valid", detail: roles, advice: "", setting: null };
      const asked = { env: { ...env, ANTHROPIC_MODEL: model }, apiKeyHelper: "" };
      const found = await validateProvider(asked, fetch, timeoutMs);
      if (found.cause === "answered") return { ...row, status: "valid", detail: roles, advice: "", setting: null };
      const advice = `Set ${variables.join(", ")} to a model from the provider's list.`;
      return { ...row, ...failed(found), ...(found.cause === "model_unknown" ? { advice } : {}) };
    }),
  );
}

function roleName(variable: string): string {
  return /^ANTHROPIC_DEFAULT_(\w+)_MODEL$/.exec(variable)?.[1]?.toLowerCase() ?? OTHER_ROLES[variable] ?? variable;
}

const OTHER_ROLES: Readonly<Record<string, string>> = {
  ANTHROPIC_MODEL: "main",
  ANTHROPIC_SMALL_FAST_MODEL: "small tasks",
  CLAUDE_CODE_SUBAGENT_MODEL: "subagents",
};
