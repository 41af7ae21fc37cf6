import { describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { Turn } from "../../../src/sandbox/turns.ts";
import { type Report, ReportSchema } from "../../../src/supervisor/report.ts";
import { inTurn, newPlace, newSandbox, type Place, provider } from "../../harness.ts";

const LOOP = ["--supervisor", "--engine", "loop", "glm"];
const no = (feedback: string): Turn => ({ verdict: { completed: false, feedback } });
const YES: Turn = { verdict: { completed: true, feedback: "seen" } };

async function readReport(place: Place): Promise<Report> {
  const folder = join(place.project, ".claude/ccc");
  const name = (await readdir(folder)).find((each) => each.endsWith("-report.json")) ?? "none";
  return v.parse(ReportSchema, JSON.parse(await readFile(join(folder, name), "utf8")));
}

describe("ordinary text does not end the loop", () => {
  const ORDINARY = [
    'Open "https://example.com/?page=2"',
    'send "Authorization: Bearer abc" and {"x-api-key":"a1b2c3"}',
    'a "quoted" \\ backslash, https://me:pass@x.test/"?q=" and \u0000\u001b[31m',
  ];
  for (const text of ORDINARY) {
    test(JSON.stringify(text), async () => {
      await using place = await newPlace();
      await using glm = newSandbox(inTurn({ agent: [{ say: text }], reviewer: [no(`Do this: ${text}`), YES] }));
      await place.config({ providers: { glm: provider(glm, "glm-token-of-tests") } });
      const result = await place.ccc([...LOOP, `Please: ${text.replaceAll("\u0000", "")}`]);
      expect(result).toMatchObject({ exitCode: 0, stdout: `${text}\n` });
      const report = await readReport(place);
      expect(report).toMatchObject({ outcome: "done", exit_code: 0, rounds: [{ verdict: "not done" }, {}] });
      // What the agent goes on with is as the reviewer wrote it.
      const last = JSON.stringify(glm.received.findLast(({ role }) => role === "agent")?.body.messages);
      expect(last).toContain(JSON.stringify(`Do this: ${text}`).slice(1, -1));
    });
  }

  test("a URL with a page in it is told as it is", async () => {
    await using place = await newPlace();
    await using glm = newSandbox(inTurn({ agent: [{ say: ORDINARY[0] ?? "" }], reviewer: [YES] }));
    await place.config({ providers: { glm: provider(glm, "glm-token-of-tests") } });
    await place.ccc([...LOOP, "work"]);
    expect(await readReport(place)).toMatchObject({ answer: ORDINARY[0] ?? "" });
  });
});

test("a session that names a path leads nowhere", async () => {
  await using place = await newPlace();
  await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
  await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; esac
echo '{"type":"result","session_id":"x/../../../../outside","result":"THE ANSWER"}'`);
  const result = await place.ccc([...LOOP, "work"]);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("claude named no session");
  expect(await readdir(place.home)).not.toContain("outside-report.json");
});
