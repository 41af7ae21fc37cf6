import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { type Report, ReportSchema } from "../../../src/supervisor/loop/ending.ts";
import { inTurn, newPlace, ONE_REVIEW, type Place, provider } from "../../harness.ts";
import { DONE, notDone, supervisedPlace } from "../../supervised.ts";

const LOOP = ["--supervisor", "--engine", "loop", "glm"];

async function readReport(place: Place): Promise<Report> {
  const folder = join(place.project, ".claude/ccc");
  const name = (await readdir(folder)).find((each) => each.endsWith("-report.json")) ?? "none";
  return v.parse(ReportSchema, JSON.parse(await readFile(join(folder, name), "utf8")));
}

test("ordinary text does not break the loop, and a URL with a query is not redacted", async () => {
  const url = 'Open "https://example.com/?page=2"';
  const text = [
    url,
    'send "Authorization: Bearer abc" and {"x-api-key":"a1b2c3"}',
    'a "quoted" \\ backslash, https://me:pass@x.test/"?q=" and \u0000\u001b[31m',
  ].join("\n");
  await using place = await supervisedPlace(
    inTurn({ agent: [{ say: text }], reviewer: [notDone(`Do this: ${text}`), DONE] }),
  );
  const result = await place.ccc([...LOOP, `Please: ${text.replaceAll("\u0000", "")}`]);
  expect(result).toMatchObject({ exitCode: 0, stdout: `${text}\n` });
  const report = await readReport(place);
  expect(report).toMatchObject({ outcome: "done", exit_code: 0, rounds: [{ verdict: "not done" }, {}] });
  expect(report.answer).toStartWith(`${url}\n`);
  // The agent gets the feedback as the reviewer wrote it.
  const last = JSON.stringify(place.sandbox.received.findLast(({ role }) => role === "agent")?.body.messages);
  expect(last).toContain(JSON.stringify(`Do this: ${text}`).slice(1, -1));
});

/** The arguments of all processes of this machine. */
function allArguments(): string {
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid);
  return pids
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // The process has exited.
        return "";
      }
    })
    .join("\n");
}

test("LOOP-03 LOOP-05 a prompt from stdin and feedback can be long, and are in no process's arguments", async () => {
  const seen: string[] = [];
  const long = "x".repeat(200_000);
  const script = inTurn({
    agent: [{ say: "one" }, { say: "two" }],
    reviewer: [notDone(`SECRET-FEEDBACK ${long} FEEDBACK-END`), DONE],
  });
  await using place = await supervisedPlace((received, index) => {
    if (process.platform === "linux") seen.push(allArguments());
    return script(received, index);
  });
  const result = await place.ccc(LOOP, { stdin: `SECRET-PROMPT\nof two lines ${long} PROMPT-END` });
  expect(result).toMatchObject({ exitCode: 0, stdout: "two\n" });
  const [first, second] = place.turns();
  expect(first).toContain("SECRET-PROMPT\\nof two lines");
  expect(first).toContain("PROMPT-END");
  expect(second).toContain("SECRET-FEEDBACK");
  expect(second).toContain("FEEDBACK-END");
  if (process.platform !== "linux") return;
  // Make sure the inspection can find arguments at all.
  expect(seen.join()).toContain("settings-glm-plain");
  expect(seen.join()).not.toContain("SECRET-");
});

describe.if(process.platform === "linux")("an agent whose prompt comes from stdin", () => {
  test("has a terminal, except for stdin", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") }, supervisor: ONE_REVIEW });
    await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; *--fork-session*) echo '{"type":"result","structured_output":{"completed":true,"feedback":""}}'; exit;; esac
[ -t 1 ] && [ -t 2 ] && ! [ -t 0 ] && (: > /dev/tty) && ls /proc/$$/fd > "$HOME/descriptors"; cat > "$HOME/input"
echo '{"type":"result","session_id":"s1","result":"THE ANSWER"}'`);
    const prompt = `${"long ".repeat(400_000)}END`;
    expect(await place.ccc(LOOP, { stdin: prompt })).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
    // Only stdin is the pipe.
    expect((await readFile(place.at("descriptors"), "utf8")).split("\n")).not.toContain("3");
    expect(await readFile(place.at("input"), "utf8")).toBe(prompt);
  });

  test("does no harm if the agent does not read stdin", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") }, supervisor: ONE_REVIEW });
    await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; *--fork-session*) echo '{"type":"result","structured_output":{"completed":true,"feedback":""}}'; exit;; esac
echo '{"type":"result","session_id":"s1","result":"THE ANSWER"}'`);
    const result = await place.ccc(LOOP, { stdin: "x".repeat(4_000_000) });
    expect(result).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
  });
});

test("a path as session ID is rejected", async () => {
  await using place = await newPlace();
  await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
  await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; esac
echo '{"type":"result","session_id":"x/../../../../outside","result":"THE ANSWER"}'`);
  const result = await place.ccc([...LOOP, "work"]);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("claude reported no session ID");
  expect(await readdir(place.home)).not.toContain("outside-report.json");
});
