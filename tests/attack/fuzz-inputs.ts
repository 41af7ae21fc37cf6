import fc from "fast-check";
import { readEvent, readInput, StopEventSchema } from "../../src/claude/events.ts";
import { readContent, readStreamLine } from "../../src/claude/stream.ts";
import { route } from "../../src/cli/route.ts";
import { run } from "../../src/cli/run.ts";
import { checkConfig } from "../../src/config/check.ts";
import { fakeWorld } from "../unit/fakes.ts";
import { type Campaign, unless } from "./campaign.ts";
import { answered, fuzzing } from "./fuzz.ts";
import { CANARY, flawed, oddJson, oddString, oddText } from "./odd.ts";
import { configWith } from "./odd-config.ts";

const secret = fc.constantFrom(CANARY, `Bearer ${CANARY}`, `x-key: ${CANARY}`);

const event = flawed({
  session_id: fc.constantFrom("abc-123", "0b0e7c1e-5a5e-4a7e-9c3d-1f2e3d4c5b6a"),
  stop_hook_active: fc.boolean(),
  transcript_path: fc.oneof(oddString, secret),
  cwd: oddString,
  prompt_id: fc.oneof(oddString, secret),
  background_tasks: fc.array(flawed({ type: oddString, status: oddString, description: secret, command: secret })),
});

const EVENT = fuzzing({
  name: "event",
  what: "Fuzzed Stop events",
  how: "odd, deep, huge, damaged and invalid JSON; the result is an event or an error without secrets, and no session id is a path",
  input: oddText(event),
  check: (text) => {
    const { value, problems } = answered(() => readEvent(readInput({ stdin: () => text }), StopEventSchema, "Stop"));
    const isPath = value !== undefined && !/^[A-Za-z0-9][\w.-]{0,127}$/.test(value.session_id);
    return [...problems, ...unless(!isPath, `a session id that is a path: ${value?.session_id}`)];
  },
});

const CONFIG = fuzzing({
  name: "config",
  what: "Fuzzed ccc.json",
  how: "the same; the result is a config or an error without values",
  input: oddText(configWith(fc.oneof(secret, oddString))),
  check: (text) => answered(() => checkConfig(text, "ccc.json")).problems,
});

const LAUNCH = fuzzing({
  name: "launch",
  what: "Fuzzed ccc.json, to the launch plan",
  how: "dry runs of plain and supervised launches; the result is a plan or an error, both without keys",
  input: fc.tuple(
    oddText(configWith(oddString)),
    fc.constantFrom<string[]>(["glm"], ["--supervisor"], ["kimi", "-p", "x"]),
  ),
  check: async ([text, words]) => {
    const content = { "/home/u/.claude/ccc.json": text };
    const { world, said } = fakeWorld({ content, argv: ["--dry-run", ...words] });
    await run(world);
    const all = said.stdout + said.stderr;
    return [
      ...unless(!all.includes(CANARY), `a secret is shown: ${all.slice(0, 500)}`),
      ...unless(!all.includes("internal error"), all.slice(0, 500)),
    ];
  },
});

const word = fc.oneof(
  fc.constantFrom("glm", "kimi", "glmm", "--supervisor", "--engine", "loop", "--engine=hook", "--dry-run", "validate"),
  fc.constantFrom("--", "-p", "--help", "--settings", "use", "valdate", "supervisor-hook", "help", "-v"),
  oddString,
);

const ROUTE = fuzzing({
  name: "route",
  what: "Fuzzed command lines",
  how: "never an exception, and claude's arguments are the end of the command line, unchanged",
  input: fc.array(word, { maxLength: 8 }),
  check: (argv) => {
    const { value } = answered(() => route(argv, { providers: () => ["glm", "kimi"], presets: () => ["deepseek"] }));
    if (value?.kind !== "launch") return [];
    const { args } = value.launch;
    const end = args.length === 0 ? [] : argv.slice(-args.length);
    return unless(Bun.deepEquals(args, end), `claude would get ${JSON.stringify(args)}`);
  },
});

const block = flawed({ type: fc.constantFrom("text", "tool_use"), text: oddString, name: oddString, input: oddJson });

const STREAM = fuzzing({
  name: "stream",
  what: "Fuzzed stream lines",
  how: "never an exception, and always an event with correct types",
  input: flawed({
    type: fc.constantFrom("assistant", "system", "result", "text", "user"),
    subtype: fc.constantFrom("success", "api_retry", "error_max_turns"),
    message: flawed({ content: fc.oneof(fc.array(block, { maxLength: 3 }), oddString) }),
    content: oddString,
    session_id: oddString,
    is_error: fc.boolean(),
    result: oddString,
    structured_output: oddJson,
    errors: fc.array(oddString),
    usage: flawed({ input_tokens: fc.oneof(fc.integer(), fc.double()), output_tokens: fc.integer() }),
    model_usage_since_last_result: flawed({
      glm: flawed({ inputTokens: fc.double(), outputTokens: fc.integer(), costUSD: fc.double(), costBasis: oddString }),
    }),
  }),
  check: (line) => {
    const read = readStreamLine(line);
    const { session } = read;
    const figures =
      read.kind === "result" ? Object.values({ ...read.result.usage, costUsd: read.result.usage.costUsd ?? 0 }) : [];
    return [
      ...unless(read.kind !== "text" || typeof read.text === "string", "a text that is none"),
      ...unless(session === undefined || typeof session === "string", "a session that is no text"),
      ...unless(
        figures.every((figure) => figure >= 0),
        "a figure that is no number",
      ),
      ...unless(typeof readContent(line).text === "string", "no text"),
    ];
  },
});

export const FUZZ_INPUTS: readonly Campaign[] = [EVENT, CONFIG, LAUNCH, ROUTE, STREAM];
