/** The key of a provider, as commands get it from the user: options, a hidden question, a test. */

import type { ArgsDef } from "citty";
import { CccError, EXIT, messageOf, usageError } from "../../errors.ts";
import type { Identity } from "../../providers/identity.ts";
import { keyProblem } from "../../providers/keys.ts";
import { resolveKeys } from "../../providers/references.ts";
import { isReference } from "../../providers/variables.ts";
import { createLog } from "../../terminal/dialog.ts";
import { colored, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { type Cause, validateProvider } from "../validate/validate.ts";

/** The options of commands that take a key. A key is never an argument. */
export const KEY_FLAGS = {
  "token-stdin": { type: "boolean", default: false, description: "read the key from stdin" },
  "token-ref": {
    type: "string",
    valueHint: "REF",
    description: "where the key is: env:NAME, file:PATH, cmd:COMMAND or keychain:NAME",
  },
  store: {
    type: "enum",
    options: ["keychain", "file"],
    description: "where to store the key (default: the keychain, if the system has one, or else ccc.json)",
  },
} as const satisfies ArgsDef;

interface KeyInput {
  readonly key?: string | undefined;
  readonly reference?: string | undefined;
}

/** The key, or the reference to it, that those options pass. */
export function readKeyOptions(
  args: { readonly "token-stdin": boolean; readonly "token-ref"?: string | undefined },
  world: World,
): KeyInput {
  const reference = args["token-ref"];
  if (args["token-stdin"] && reference !== undefined)
    throw usageError("--token-stdin cannot be combined with --token-ref");
  return { reference, key: args["token-stdin"] ? keyFromStdin(world) : undefined };
}

function keyFromStdin(world: World): string {
  if (world.isTerminal(0)) throw usageError("--token-stdin needs a file or a pipe, but stdin is a terminal");
  const key = (world.stdin(LONGEST_KEY) ?? "").trim();
  if (key === "") throw usageError("--token-stdin: stdin is empty, so there is no key");
  return key;
}

const LONGEST_KEY = 100_000;

export interface CheckedKey {
  /** The key to store. */
  readonly key: string | undefined;
  /** The value in ccc.json if there is no key to store: a reference, or a placeholder for a server that needs no key. */
  readonly written: string | undefined;
}

/** Throws if the key or the reference cannot be right, or if there is neither and no placeholder for it. */
export function checkedKey({ key, reference }: KeyInput, placeholder?: string): CheckedKey {
  if (reference !== undefined) {
    if (isReference(reference)) return { key: undefined, written: reference };
    throw usageError("--token-ref takes env:NAME, file:PATH, cmd:COMMAND or keychain:NAME");
  }
  if (key !== undefined) {
    const problem = keyProblem(key);
    if (problem === undefined) return { key, written: undefined };
    throw usageError(problem);
  }
  if (placeholder !== undefined) return { key: undefined, written: placeholder };
  throw usageError("the key is missing", "Pipe it in with --token-stdin, or refer to it with --token-ref env:NAME");
}

export function askKey(keyUrl: string | undefined, isOptional: boolean, world: World): Promise<string> {
  if (keyUrl !== undefined) world.stderr(`│  Get a key at ${keyUrl}\n`);
  const none = isOptional ? ", empty if the server needs none" : "";
  return world.ask.secret(`API key (hidden${none}):`, (key) =>
    isOptional && key === "" ? undefined : keyProblem(key),
  );
}

/** What to do after a test: save what was tested, or test again with something else. */
type AfterTest = "save" | "another key" | "same key" | "as x-api-key" | "another model" | "another address";

interface TestQuestion {
  /** Whether the user entered the key. */
  readonly isEntered: boolean;
  /** The label for another try where another key would not help. */
  readonly otherwise: string;
  readonly canSendAsApiKey: boolean;
  /** Whether the user may choose another model or address. */
  readonly canCorrect: boolean;
}

/** Sends one small request with a new key, and shows the result. If it fails, the user decides what to do. */
export async function testKey(
  identity: Identity,
  world: World,
  { isEntered, otherwise, canSendAsApiKey, canCorrect }: TestQuestion,
): Promise<AfterTest> {
  world.stderr("│  testing it…\n");
  const { status, cause, detail, advice } = await validateProvider(identity, world.fetch);
  const say = (sign: string, line: string) =>
    world.stderr(`${colored(sign + wrap(`   ${line}`, world.columns(2), 0).slice(sign.length), world, 2)}\n`);
  say(status === "invalid" ? "✗" : "✓", detail);
  if (status !== "invalid") return "save";
  say("", advice);
  const isKeyProblem = isEntered && KEY_PROBLEMS.includes(cause);
  const corrections = [
    { value: AGAIN, label: isKeyProblem ? "enter the key again" : otherwise },
    ...(cause === "key_refused" && canSendAsApiKey
      ? [{ value: OTHER_HEADER, label: "send it as x-api-key: some servers accept only that" }]
      : []),
    ...(canCorrect ? CORRECTIONS : []),
  ];
  // What most likely helps comes first.
  const likely = corrections.filter(({ value }) => value === (canCorrect ? LIKELY[cause] : undefined));
  const choice = await world.ask.choose("What now?", [
    ...likely,
    ...corrections.filter((each) => !likely.includes(each)),
    { value: SAVE, label: "save it anyway" },
    { value: STOP, label: "cancel" },
  ]);
  switch (choice) {
    case STOP:
      throw new CccError("cancelled; nothing was changed", { exitCode: EXIT.interrupted });
    case SAVE:
      return "save";
    case OTHER_HEADER:
      return "as x-api-key";
    case OTHER_MODEL:
      return "another model";
    case OTHER_ADDRESS:
      return "another address";
    default:
      return isKeyProblem ? "another key" : "same key";
  }
}

const AGAIN = "again";
const OTHER_HEADER = "header";
const OTHER_MODEL = "model";
const OTHER_ADDRESS = "address";
const SAVE = "save";
const STOP = "stop";

const CORRECTIONS = [
  { value: OTHER_MODEL, label: "another model" },
  { value: OTHER_ADDRESS, label: "another address" },
];

/** The correction that usually helps, by the cause of a failure. */
const LIKELY: Partial<Record<Cause, string>> = {
  model_unknown: OTHER_MODEL,
  unreachable: OTHER_ADDRESS,
  redirected: OTHER_ADDRESS,
  wrong_path: OTHER_ADDRESS,
  not_anthropic: OTHER_ADDRESS,
};

/** Failures with which another key may help. */
const KEY_PROBLEMS: readonly string[] = ["key_refused", "out_of_credit", "configuration"];

/** The key may be added later, so this only warns. Commands run only when the key is needed. */
export async function warnOfReference(reference: string, world: World): Promise<void> {
  if (reference.startsWith("cmd:")) return;
  try {
    await resolveKeys([{ reference, field: reference }], world);
  } catch (error) {
    createLog(world).warn(`the reference has no key yet: ${messageOf(error)}`);
  }
}
