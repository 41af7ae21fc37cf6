import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { sessionStatusLine } from "../../../src/commands/statusline.ts";
import { diskFiles, makeScratch } from "../../../src/os/files.ts";
import { lastUsageText } from "../../../src/providers/quota/last.ts";
import type { UsageFigure } from "../../../src/providers/quota/readers.ts";

const files = diskFiles(process.pid);
const scratch = makeScratch();
afterAll(scratch.remove);

const SESSION = "11111111-2222-4333-8444-555555555555";
const EVENT = { session_id: SESSION, cwd: "/shop", model: { id: "glm-5" }, context_window: { used_percentage: 42 } };
const DONE = JSON.stringify({ outcome: "done", met: 2, of: 2 });
const LAUNCHED = JSON.stringify({ provider: "glm" });

interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object | string;
  readonly isTerminal?: boolean;
  /** Files of the session's record. */
  readonly record?: Readonly<Record<string, string>>;
  /** Other files below the folder of ccc.json. */
  readonly content?: Readonly<Record<string, string>>;
  /** Files that are made in this folder before the line. */
  readonly prepare?: (record: string) => void;
}

let count = 0;

/** The status line of a session with these files, in a home of its own. */
function lineOf({ args = [], env = {}, event = EVENT, isTerminal = false, ...given }: Given) {
  const home = join(scratch.path, `${count++}`);
  const folder = join(home, ".claude");
  const record = join(folder, "ccc/sessions", SESSION);
  const content = Object.entries({
    ...given.content,
    ...Object.fromEntries(
      Object.entries(given.record ?? {}).map(([name, text]) => [join("ccc/sessions", SESSION, name), text]),
    ),
  });
  for (const [name, text] of content) files.writePrivate(join(folder, name), text);
  given.prepare?.(record);
  let stdin = new TextEncoder().encode(typeof event === "string" ? event : JSON.stringify(event));
  const readStdin = (into: Uint8Array) => {
    const some = stdin.subarray(0, into.length);
    into.set(some);
    stdin = stdin.subarray(some.length);
    return some.length;
  };
  return sessionStatusLine(
    {
      argv: ["ccc", "ccc", "statusline", ...args],
      env: { HOME: home, COLUMNS: "200", NO_COLOR: "1", ...env },
      platform: "linux",
    },
    { readStdin, isTerminal: () => isTerminal, realPath: () => undefined, isPipe: () => false },
  );
}

describe("the status line of a session", () => {
  const supervised = { "launch.json": LAUNCHED };
  const table: [what: string, given: Given, line: string][] = [
    ["one without supervision", { args: ["--provider", "glm"] }, "glm · glm-5 · context 42% · supervisor off"],
    ["a supervised one, by its record", { record: supervised }, "glm · glm-5 · context 42% · supervisor on"],
    [
      "what the launch says counts more than the record",
      { args: ["--provider=kimi", "--no-supervisor"], record: supervised },
      "kimi · glm-5 · context 42% · supervisor off",
    ],
    [
      "also if it says only that it is supervised",
      { args: ["--supervisor"], record: supervised },
      "glm · glm-5 · context 42% · supervisor on",
    ],
    [
      "or only its provider",
      { args: ["--provider", "kimi"], record: supervised },
      "kimi · glm-5 · context 42% · supervisor on",
    ],
    [
      "both, without a record",
      { args: ["--provider", "glm", "--supervisor"] },
      "glm · glm-5 · context 42% · supervisor on",
    ],
    [
      "what the user has switched counts most",
      { args: ["--provider", "glm", "--supervisor"], record: { "switch.json": '{"is_on":false}' } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "the verdict, until the next prompt",
      { record: { ...supervised, "now.json": DONE } },
      "glm · glm-5 · context 42% · done 2 of 2",
    ],
    [
      "the provider of a terminal, without supervision",
      { env: { CLAUDE_PID: "77" }, content: { "ccc/terminals/77.json": '{"launch":{"provider":"glm"}}' } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "a record without a provider",
      { record: { "launch.json": '{"provider":""}' } },
      "glm-5 · context 42% · supervisor on",
    ],
    ["no session", { event: {}, args: ["--provider", "glm", "--supervisor"] }, "glm · supervisor on"],
    ["no session, and nothing said", { event: "{broken" }, "supervisor off"],
    [
      "another folder of ccc.json",
      { args: ["--config-dir", join(scratch.path, "other"), "--provider", "glm"], event: { cwd: "/shop" } },
      "glm · pinned · supervisor off",
    ],
    ["a narrow terminal", { args: ["--provider", "glm"], env: { COLUMNS: "30" } }, "glm · supervisor off"],
    [
      "a terminal whose width is not known",
      { args: ["--provider", "glm"], env: { COLUMNS: "" } },
      "glm · glm-5 · context 42% · supervisor off",
    ],
    [
      "colors, unless they are unwanted",
      { args: ["--provider", "glm"], env: { NO_COLOR: "" }, event: {} },
      "\u001b[1mglm\u001b[0m · supervisor off",
    ],
  ];
  files.writePrivate(join(scratch.path, "other/ccc.json"), '{"folders":{"/shop":"glm"}}');
  test.each(table)("%s", async (_, given, line) => expect(await lineOf(given)).toBe(line));

  test.each([
    ["a prompt after the verdict", 20, "supervisor on"],
    ["a prompt before it", 5, "done 2 of 2"],
    ["a prompt in the moment of the verdict", 10, "done 2 of 2"],
  ])("%s", async (_, promptedAt, wanted) => {
    const record = { "launch.json": "{}", "now.json": DONE, "prompts.jsonl": "" };
    const prepare = (folder: string) => {
      utimesSync(join(folder, "now.json"), 10, 10);
      utimesSync(join(folder, "prompts.jsonl"), promptedAt, promptedAt);
    };
    expect(await lineOf({ event: { session_id: SESSION }, record, prepare })).toBe(wanted);
  });

  test("a pipe in place of a record does not keep Claude Code waiting", async () => {
    const prepare = (folder: string) => {
      Bun.spawnSync(["mkdir", "-p", folder]);
      expect(Bun.spawnSync(["mkfifo", join(folder, "launch.json")]).exitCode).toBe(0);
    };
    expect(await lineOf({ event: { session_id: SESSION }, prepare })).toBe("supervisor off");
  });

  test.each([
    ["the folder's own", { "/shop": "glm" }, true],
    ["that of a folder above, in the long form", { "/": { provider: "glm" } }, true],
    ["another provider's", { "/shop": "kimi" }, false],
    ["another folder's", { "/shops": "glm" }, false],
    ["the stricter of two for one folder", { "/shop": "kimi", "/shop/": { provider: "glm", only: true } }, true],
    ["nothing that ccc.json could mean", { "/shop": 7 }, false],
  ])("a pin: %s", async (_, folders, isShown) => {
    const content = { "ccc.json": JSON.stringify({ folders }) };
    const line = await lineOf({ args: ["--provider", "glm"], event: { cwd: "/shop" }, content });
    expect(line).toBe(isShown ? "glm · pinned · supervisor off" : "glm · supervisor off");
  });

  test.each([
    ["glm", "glm · 5h 37% (just now) · supervisor off"],
    ["../usage/glm", "../usage/glm · supervisor off"],
  ])("what ccc usage last said about %s", async (provider, line) => {
    const figures = [{ kind: "window", name: "5h", label: "x", hours: 5, used_percent: 37, resets_at: null }];
    const content = { "ccc/usage/glm.json": JSON.stringify({ asked_at: new Date().toISOString(), figures }) };
    expect(await lineOf({ args: ["--provider", provider], event: {}, content })).toBe(line);
  });

  test.each([
    ["--help", { args: ["--help"] }],
    ["-h", { args: ["-h"] }],
    ["a terminal", { isTerminal: true }],
  ])("%s asks for help, not for a line", async (_, given) => expect(await lineOf(given)).toBeUndefined());
});

describe("the supervision in the status line", () => {
  /** The clock stands still: a busy machine may take a second for a line. */
  const NOW = Date.now();
  const soon = () => NOW + 60_000;
  const RUNNING = { pid: process.pid, round: 2, limit: 10, doing: "Bash npm test", ends_by: soon() };
  const KILLED = { ...RUNNING, pid: 2 ** 30 };
  const ended = (outcome: string, met = 0, of = 0) => ({ outcome, met, of });
  const stalled = (more: object) => ({ stalled: "limit", until: soon(), is_waiting: true, command: "", ...more });
  const clock = (time: number) => new Date(time).toTimeString().slice(0, 5);
  const [QUIET, CYAN, GREEN, YELLOW, RED] = ["", "\u001b[36m", "\u001b[32m", "\u001b[33m", "\u001b[31m"];

  const table: [what: string, now: object, isPrompted: boolean, text: string, color: string][] = [
    ["a review that begins", { ...RUNNING, doing: "" }, false, "reviewing 2/10", CYAN],
    ["a reviewer at work", RUNNING, false, "reviewing 2/10 · npm test", CYAN],
    ["how long it has taken", { ...RUNNING, since: NOW - 40_000 }, false, "reviewing 2/10 · npm test · 40 s", CYAN],
    ["a clock that was set back", { ...RUNNING, since: soon() }, false, "reviewing 2/10 · npm test", CYAN],
    ["a file that the reviewer reads", { ...RUNNING, doing: "Read a.ts" }, false, "reviewing 2/10 · Read a.ts", CYAN],
    ["a reviewer that confirms", { ...RUNNING, is_confirming: true }, false, "confirming 2/10 · npm test", CYAN],
    [
      "what was confirmed",
      { ...ended("done"), met: 5, of: 5, confirmed_by: "kimi" },
      false,
      "done 5 of 5, confirmed by kimi",
      GREEN,
    ],
    ["a prompt during a review", RUNNING, true, "reviewing 2/10 · npm test", CYAN],
    ["a hook that was killed", KILLED, false, "not reviewed", RED],
    ["another process with its id", { ...RUNNING, ends_by: NOW - 1 }, false, "not reviewed", RED],
    ["a prompt after a killed hook", KILLED, true, "supervisor on", QUIET],
    ["done", ended("done", 5, 5), false, "done 5 of 5", GREEN],
    ["done without criteria", ended("done"), false, "done", GREEN],
    ["not done", ended("rework", 3, 5), false, "not done 3 of 5", YELLOW],
    ["a failed check", ended("rework"), false, "not done", YELLOW],
    ["a nudge", { ...ended("nudged"), nudges: 2 }, false, "nudged 2 of 3", YELLOW],
    ["a question", ended("needs_user"), false, "needs you", RED],
    ["no reviews left", ended("limit", 3, 5), false, "NOT done 3 of 5", RED],
    ["a stalemate", ended("stalemate", 3, 5), false, "NOT done 3 of 5", RED],
    ["no tokens left", ended("budget"), false, "NOT done", RED],
    ["a review that failed", ended("unreviewed"), false, "not reviewed", RED],
    ["an outcome of a newer ccc", ended("postponed", 3, 5), false, "supervisor on", QUIET],
    ["a name that objects have", ended("constructor"), false, "supervisor on", QUIET],
    ["a wait for a limit", stalled({}), false, `waiting for the limit until ${clock(soon())}`, CYAN],
    [
      "a limit that is not waited for",
      stalled({ is_waiting: false, command: "ccc kimi -c" }),
      false,
      `limit until ${clock(soon())} · ccc kimi -c`,
      RED,
    ],
    ["another error", stalled({ stalled: "no credit", until: 0, is_waiting: false }), false, "no credit", RED],
    ["a prompt after a limit", stalled({}), true, "supervisor on", QUIET],
    ["a limit of long ago", stalled({ until: NOW - 3_600_000 }), false, "supervisor on", QUIET],
    ["a prompt after the verdict", ended("done", 5, 5), true, "supervisor on", QUIET],
  ];
  test.each(table)("%s", async (_, now, isPrompted, text, color) => {
    const record = { "launch.json": "{}", "now.json": JSON.stringify(now), "prompts.jsonl": "" };
    const prepare = (folder: string) => {
      utimesSync(join(folder, "now.json"), 10, 10);
      utimesSync(join(folder, "prompts.jsonl"), isPrompted ? 20 : 5, isPrompted ? 20 : 5);
    };
    using _clock = spyOn(Date, "now").mockReturnValue(NOW);
    const line = await lineOf({ event: { session_id: SESSION }, record, prepare, env: { NO_COLOR: "" } });
    expect(line).toBe(color === QUIET ? text : `${color}${text}\u001b[0m`);
  });
});

describe("the last known usage", () => {
  const TIME = Date.now();
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;

  /** A window that resets so long after the answer. */
  const window = (name: string, hours: number | null, used_percent: number, resetsIn?: number) => ({
    kind: "window" as const,
    name,
    label: name,
    hours,
    used_percent,
    resetsIn,
  });
  const money: UsageFigure = { kind: "balance", label: "balance", amount: 12.345, currency: "USD" };
  const five = window("5h", 5, 37, 2 * HOUR);

  /** What the status line shows of the file that `ccc usage` left. */
  const shown = async (text: string) => {
    const line = await lineOf({ args: ["--provider", "glm"], event: {}, content: { "ccc/usage/glm.json": text } });
    return line?.replace(/^glm · |(?: · )?supervisor off$/g, "");
  };

  test.each([
    ["the last value with its age", [five], 12 * MINUTE, "5h 37% (12m ago)"],
    ["one that was just asked for", [five], 20_000, "5h 37% (just now)"],
    ["the first of two that are equally full", [five, window("week", 168, 37, 50 * HOUR)], MINUTE, "5h 37% (1m ago)"],
    ["what is a day old", [window("week", 168, 20, 100 * HOUR)], 24 * HOUR - MINUTE, "week 20% (24h ago)"],
    ["the fullest window", [five, window("week", 168, 90, 50 * HOUR)], MINUTE, "week 90% (1m ago)"],
    [
      "another one after a reset",
      [window("5h", 5, 99, HOUR), window("week", 168, 20, 50 * HOUR)],
      3 * HOUR,
      "week 20% (3h ago)",
    ],
    ["nothing after the reset", [five], 2 * HOUR, ""],
    ["nothing once a window without a reset time is over", [window("5h", 5, 37)], 5 * HOUR, ""],
    ["one without a reset time before that", [window("5h", 5, 37)], 4 * HOUR, "5h 37% (4h ago)"],
    ["a limit that never resets", [window("limit", null, 50)], 20 * HOUR, "limit 50% (20h ago)"],
    ["nothing about web tools", [window("tools", 720, 99)], MINUTE, ""],
    ["nothing that is older than a day", [window("week", 168, 20, 100 * HOUR)], 25 * HOUR, ""],
    ["nothing from the future", [five], -HOUR, ""],
    ["a balance", [money], HOUR, "12.35 USD (1h ago)"],
    ["no balance beside windows that are over", [five, money], 3 * HOUR, ""],
    ["nothing of what was spent", [{ ...money, kind: "spent" } as const], HOUR, ""],
    ["nothing of nothing", [], MINUTE, ""],
  ] as const)("%s", async (_, figures, age, text) => {
    const time = TIME - age;
    const dated = figures.map((figure) => {
      if (figure.kind !== "window") return figure;
      const { resetsIn, ...others } = figure;
      return { ...others, resets_at: resetsIn === undefined ? null : new Date(time + resetsIn).toISOString() };
    });
    expect(await shown(lastUsageText({ time, figures: dated }))).toBe(text);
  });

  test("a file that is not an answer shows nothing", async () => {
    const odd = ["", "{", "[]", "{}", '{"asked_at":7,"figures":[]}', '{"asked_at":"x","figures":[]}'];
    const wrong = [
      null,
      7,
      {},
      { kind: "window", name: "5h", used_percent: "37" },
      { ...five, used_percent: null },
      { ...five, name: 5 },
      { ...five, hours: "5" },
      { ...five, resets_at: TIME },
      { ...money, amount: "1" },
    ];
    const asked_at = new Date(TIME).toISOString();
    const texts = [...odd, JSON.stringify({ asked_at }), JSON.stringify({ asked_at, figures: wrong })];
    expect(await Promise.all(texts.map(shown))).toEqual(texts.map(() => ""));
  });
});

describe("the width of the status line", () => {
  const DOING = "Bash npm test -- --runInBand";
  const REVIEW = "reviewing 2/10 · npm test -- --runInBand · 40 s";

  interface Shown {
    readonly columns?: number;
    readonly provider?: string;
    readonly model?: string;
    readonly context?: number;
    readonly doing?: string;
    readonly usage?: boolean;
    readonly isPinned?: boolean;
    readonly hasColor?: boolean;
  }

  /** The line while a review runs. */
  async function line({ columns, provider = "glm", model = "glm-5", context = 42.4, doing = DOING, ...more }: Shown) {
    const now = Date.now();
    using _clock = spyOn(Date, "now").mockReturnValue(now);
    const running = {
      pid: process.pid,
      round: 2,
      limit: 10,
      doing,
      since: now - 40_000,
      ends_by: now + 60_000,
    };
    const figures = [{ kind: "window", name: "5h", label: "x", hours: 5, used_percent: 37, resets_at: null }];
    return await lineOf({
      args: provider === "" ? [] : ["--provider", provider],
      env: { COLUMNS: columns === undefined ? "" : `${columns}`, NO_COLOR: more.hasColor === true ? "" : "1" },
      event: {
        session_id: SESSION,
        cwd: "/shop",
        ...(model === "" ? {} : { model: { id: model } }),
        ...(context < 0 ? {} : { context_window: { used_percentage: context } }),
      },
      record: { "launch.json": "{}", "now.json": JSON.stringify(running) },
      content: {
        ...(more.usage === true && {
          "ccc/usage/glm.json": JSON.stringify({ asked_at: new Date(now).toISOString(), figures }),
        }),
        ...(more.isPinned === true && { "ccc.json": '{"folders":{"/shop":"glm"}}' }),
      },
    });
  }

  const table: [what: string, shown: Shown, line: string][] = [
    ["has everything", { columns: 120 }, `glm · glm-5 · context 42% · ${REVIEW}`],
    [
      "shows the last known usage",
      { columns: 120, usage: true },
      `glm · glm-5 · context 42% · 5h 37% (just now) · ${REVIEW}`,
    ],
    [
      "leaves that out first, after what the reviewer does was cut",
      { columns: 70, usage: true },
      "glm · glm-5 · context 42% · reviewing 2/10 · npm test -- -… · 40 s",
    ],
    [
      "says that the folder is pinned",
      { columns: 100, isPinned: true },
      `glm · pinned · glm-5 · context 42% · ${REVIEW}`,
    ],
    ["has no room for what is unknown", { columns: 120, provider: "", model: "", context: -1 }, REVIEW],
    ["shows an empty context", { columns: 120, context: 0 }, `glm · glm-5 · context 0% · ${REVIEW}`],
    [
      "assumes 80 columns",
      { model: "a-model-with-a-long-name" },
      "glm · a-model-with-a-long-name · reviewing 2/10 · npm test -- --runI… · 40 s",
    ],
    [
      "cuts what the reviewer does first",
      { columns: 70 },
      "glm · glm-5 · context 42% · reviewing 2/10 · npm test -- -… · 40 s",
    ],
    ["may be as wide as the terminal", { columns: 79 }, `glm · glm-5 · context 42% · ${REVIEW}`],
    ["then leaves out the context", { columns: 55 }, "glm · glm-5 · reviewing 2/10 · npm test --… · 40 s"],
    ["then the model", { columns: 43 }, "glm · reviewing 2/10 · npm test… · 40 s"],
    ["then the provider", { columns: 35 }, "reviewing 2/10 · npm te… · 40 s"],
    ["and in the narrowest terminal still says that it reviews", { columns: 20 }, "reviewing 2/10…"],
    [
      "bounds long names",
      { columns: 120, model: "m".repeat(50), doing: "" },
      `glm · ${"m".repeat(29)}… · context 42% · reviewing 2/10 · 40 s`,
    ],
    [
      "counts wide characters",
      { columns: 44, doing: "测".repeat(30) },
      `glm · reviewing 2/10 · ${"测".repeat(4)}… · 40 s`,
    ],
    [
      "has no control characters of others",
      { columns: 120, provider: "g\u001b[31mlm", model: "a\nb\u202e\u0007", doing: "\u001b]0;x\u0007\tBash" },
      "glm · a b · context 42% · reviewing 2/10 · Bash · 40 s",
    ],
  ];
  test.each(table)("%s", async (_, shown, wanted) => {
    expect(await line(shown)).toBe(wanted);
    const colored = (await line({ ...shown, hasColor: true })) ?? "";
    expect(colored).not.toBe(wanted);
    expect(Bun.stripANSI(colored)).toBe(wanted);
  });

  test.each([1, 5, 40, 79, 200])("fits into %d columns", async (columns) =>
    expect(Bun.stringWidth((await line({ columns, model: "测试-model".repeat(9) })) ?? "")).toBeLessThanOrEqual(
      Math.max(1, columns - 4),
    ),
  );
});

test("the status line loads no schemas: that would take longer than everything else", async () => {
  const entry = join(import.meta.dir, "../../../src/commands/statusline.ts");
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun" });
  const bundle = (await outputs[0]?.text()) ?? "";
  expect(bundle).toContain("src/supervisor/outcome.ts");
  expect(bundle).not.toContain("node_modules/valibot");
});
