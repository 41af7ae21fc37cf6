import { describe, expect, test } from "bun:test";
import { waitAfterFailure } from "../../../../src/supervisor/hooks/failure.ts";
import { recordPrompt } from "../../../../src/supervisor/hooks/prompt.ts";
import { HOOK_DEFAULTS } from "../../../../src/supervisor/options.ts";
import { fakeWorld } from "../../fakes.ts";

const OPTIONS = { ...HOOK_DEFAULTS, configDir: "/c" };
const WAIT = "/c/ccc/waits/77";
const RECORD = "/c/ccc/sessions/s/limit.json";
const ENV = { HOME: "/home/u", PATH: "/bin", CLAUDE_PID: "77", CLAUDE_CODE_ENTRYPOINT: "cli" };
const LIMIT = "API Error: Request rejected (429) · Usage limit reached. It resets at 1970-01-01T01:00:00Z";

interface Situation {
  readonly says?: string;
  readonly error?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly record?: object;
  /** What happens after the first pause. */
  readonly happens?: "prompt" | "clear" | "claude ends" | "signal";
}

/** Runs the hook at time 0, and returns how it ended and when. */
async function hook({ says = LIMIT, error = "rate_limit", env = ENV, config, record, happens }: Situation) {
  let clock = 0;
  let isAlive = true;
  let signal = () => {};
  const { world, said, files } = fakeWorld({
    env,
    now: () => new Date(clock * 1000),
    isAlive: () => isAlive,
    onSignal: (handler) => {
      signal = () => handler("SIGTERM");
      return () => {};
    },
    content: {
      ...(config === undefined ? {} : { "/c/ccc.json": config }),
      ...(record === undefined ? {} : { [RECORD]: JSON.stringify(record) }),
    },
  });
  const event = (fields: object) =>
    recordPrompt(world, OPTIONS, () => ({ session_id: "t", cwd: "/project", ...fields }));
  const happen = async () => {
    if (happens === "prompt") await event({ hook_event_name: "UserPromptSubmit", prompt: "go on" });
    if (happens === "clear") await event({ hook_event_name: "SessionStart", source: "clear" });
    if (happens === "claude ends") isAlive = false;
    if (happens === "signal") signal();
  };
  let pauses = 0;
  const failure = { session_id: "s", hook_event_name: "StopFailure", error, last_assistant_message: says };
  const code = await waitAfterFailure(
    world,
    OPTIONS,
    () => failure,
    async (seconds) => {
      clock += seconds;
      if (++pauses === 1) await happen();
    },
  );
  expect(files.content[WAIT]).toBeUndefined();
  const kept = files.content[RECORD];
  return { code, seconds: clock, stderr: said.stderr, record: kept ? JSON.parse(kept) : undefined };
}

test("the session is woken when the limit has reset, and the wait is on record", async () => {
  expect(await hook({})).toEqual({
    code: 2,
    seconds: 3601,
    stderr: "The usage limit has reset. Continue where you left off.\n",
    record: { waits: 1, seconds: 3601, ended: 3601 },
  });
});

describe("the session is woken", () => {
  const table: [name: string, situation: Situation, after: number][] = [
    ["after a minute if the reset is not known", { says: "API Error: Request rejected (429) · Slow down" }, 60],
    ["after Claude Code's own word for a limit", { says: "Something in the way" }, 60],
    ["later if it was woken too early just before", { says: "429", record: { waits: 1, seconds: 60, ended: -5 } }, 120],
    [
      "later if that was less than ten minutes ago",
      { says: "429", record: { waits: 1, seconds: 60, ended: -599 } },
      120,
    ],
    ["as at first if it was longer ago", { says: "429", record: { waits: 1, seconds: 60, ended: -600 } }, 60],
  ];
  for (const [name, situation, after] of table)
    test(name, async () => expect(await hook(situation)).toMatchObject({ code: 2, seconds: after }));
});

describe("the session is left alone", () => {
  const table: [name: string, situation: Situation, after: number][] = [
    ["if the user goes on before", { happens: "prompt" }, 5],
    ["if the user starts another one before", { happens: "clear" }, 5],
    ["if claude is gone", { happens: "claude ends" }, 5],
    ["if claude exits", { happens: "signal" }, 5],
    ["with -p, where nobody could go on meanwhile", { env: { ...ENV, CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } }, 0],
    ["if its process is not known", { env: { ...ENV, CLAUDE_PID: "" } }, 0],
    ["after another error", { says: "API Error: 500 Internal server error", error: "server_error" }, 0],
    ["after a refused key", { says: "Invalid API key", error: "authentication_failed" }, 0],
    ["if the account is empty", { says: "API Error: Request rejected (429) · Insufficient balance" }, 0],
    ["if that would take too long", { config: '{"providers":{"glm":{}},"supervisor":{"limit_wait_seconds":3599}}' }, 0],
    ["if waiting is off", { says: "429", config: '{"providers":{"glm":{}},"supervisor":{"limit_wait_seconds":0}}' }, 0],
  ];
  for (const [name, situation, after] of table) {
    test(name, async () => expect(await hook(situation)).toMatchObject({ code: 0, seconds: after, record: undefined }));
  }
});
