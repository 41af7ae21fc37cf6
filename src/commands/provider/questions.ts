import { nameProblem } from "../../config/names.ts";
import { keyProblem, nameFor, tokenVariable } from "../../providers/new-provider.ts";
import { PRESETS } from "../../providers/presets.ts";
import type { World } from "../../world.ts";
import { baseUrlProblem, type Given, keyStandIn, presetOf } from "./settle.ts";

export async function askWhatIsMissing(given: Given, existing: readonly string[], world: World): Promise<Given> {
  const chosen = await askServer(given, world);
  const preset = presetOf(chosen);
  const named = {
    ...chosen,
    name: chosen.name ?? (await askName(preset?.name ?? nameFor(chosen.baseUrl ?? ""), existing, world)),
  };
  const asked: Record<string, string> = {};
  let model = named.model;
  for (const name of preset?.asks ?? []) {
    if (name === "ANTHROPIC_MODEL") model ??= await world.ask.text("Model:", { check: needed });
    else asked[name] = await world.ask.text(QUESTIONS[name] ?? name, { initial: world.env[name] ?? "", check: needed });
  }
  if (preset === undefined && model === undefined) {
    const answer = await world.ask.text("Model (empty if the server accepts Claude's model names):");
    model = answer === "" ? undefined : answer;
  }
  const isSettled = tokenVariable({ preset }) === undefined || preset?.tokenDefault !== undefined;
  if (isSettled || given.key !== undefined || given.reference !== undefined) return { ...named, asked, model };
  const isOptional = keyStandIn({ preset, baseUrl: named.baseUrl }) !== undefined;
  const key = await askKey(preset?.keyUrl, isOptional, world);
  return { ...named, asked, model, ...(key === "" ? {} : { key }) };
}

const QUESTIONS: Readonly<Record<string, string>> = {
  AWS_REGION: "AWS region, for example us-east-1:",
  ANTHROPIC_VERTEX_PROJECT_ID: "Google Cloud project:",
};

const OTHER = "another server";

async function askServer(given: Given, world: World): Promise<Given> {
  let { preset, baseUrl } = given;
  if (preset === undefined && baseUrl === undefined && presetOf(given) === undefined) {
    const choice = await world.ask.choose("Provider (type to search):", [
      ...PRESETS.map(({ name, label }) => ({ value: name, label: `${name} · ${label}` })),
      { value: OTHER, label: `${OTHER} · any with an Anthropic-compatible API` },
    ]);
    if (choice !== OTHER) preset = choice;
  }
  const needsAddress = presetOf({ ...given, preset, baseUrl });
  if (baseUrl === undefined && (needsAddress === undefined || needsAddress.asksBaseUrl)) {
    baseUrl = await world.ask.text("Base URL of its Anthropic API:", { check: baseUrlProblem });
  }
  return { ...given, preset, baseUrl };
}

function askName(initial: string, existing: readonly string[], world: World): Promise<string> {
  return world.ask.text("Name (you will type: ccc NAME):", {
    initial,
    check: (name) => (existing.includes(name) ? `provider "${name}" already exists` : nameProblem(name)),
  });
}

export function askKey(keyUrl: string | undefined, isOptional: boolean, world: World): Promise<string> {
  if (keyUrl !== undefined) world.stderr(`│  Get a key at ${keyUrl}\n`);
  const none = isOptional ? ", empty if the server needs none" : "";
  return world.ask.secret(`API key (hidden${none}):`, (key) =>
    isOptional && key === "" ? undefined : keyProblem(key),
  );
}

function needed(answer: string): string | undefined {
  return answer === "" ? "required" : undefined;
}
