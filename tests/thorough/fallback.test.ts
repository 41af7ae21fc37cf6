import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox, Script, Turn } from "../../src/sandbox/sandbox.ts";
import { credentials, inTurn, newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { DONE, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const BROKEN: Turn = { fail: 500, message: "Internal server error" };
/** As Kimi words it. */
const QUOTA: Turn = {
  fail: 403,
  message: "You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends.",
};
const STREAM = ["--output-format", "stream-json", "--verbose"];
/** How often Claude Code itself retries. */
const PATIENT = { env: { CLAUDE_CODE_MAX_RETRIES: "10" } };

/** An agent and a reviewer on glm, with kimi as the fallback. */
async function placeWithFallback(glm: Script, kimi: Sandbox): Promise<SupervisedPlace> {
  const place = await supervisedPlace(glm);
  await place.config(configOf(place, kimi, ["kimi:kimi-k2"]));
  return place;
}

function configOf({ sandbox }: SupervisedPlace, kimi: Sandbox, fallback: readonly string[]) {
  const providers = { glm: provider(sandbox, "glm-token"), kimi: provider(kimi, "kimi-token") };
  return { providers, supervisor: { ...ONE_REVIEW, fallback } };
}

const rolesOf = ({ received }: Sandbox) => received.map(({ role }) => role);
const lastStop = async (place: SupervisedPlace) =>
  JSON.parse((await place.record())["stops.jsonl"]?.trim().split("\n").at(-1) ?? "");

describe("an unavailable reviewer is replaced by the next one", () => {
  test("after a server error, and the record says who reviewed", async () => {
    await using kimi = newSandbox(inTurn({ reviewer: [DONE] }));
    await using place = await placeWithFallback((request, index) => {
      // The reviewers are fixed at launch: an agent that edits ccc.json changes nothing.
      writeFileSync(place.at(".claude/ccc.json"), JSON.stringify(configOf(place, kimi, [])));
      return inTurn({ agent: [{ say: "AGENTS-ANSWER" }], reviewer: [BROKEN] })(request, index);
    }, kimi);

    const result = await place.ccc(["--supervisor", "glm", "-p", "the task", ...STREAM], PATIENT);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain("glm, reviewed by glm, else by kimi (kimi-k2), at most");
    expect(rolesOf(kimi)).toEqual(["reviewer"]);
    for (const seen of credentials(kimi)) expect(seen).toEqual({ bearer: "Bearer kimi-token", key: "kimi-token" });
    expect(kimi.received[0]?.body.model).toBe("kimi-k2");
    // Another model shares no cache, so it gets the digest and not the conversation.
    expect(kimi.received[0]?.body.messages.map(({ role }) => role)).not.toContain("assistant");
    expect(await lastStop(place)).toMatchObject({
      outcome: "done",
      reviewer: "kimi:kimi-k2",
      instead: expect.stringMatching(/^glm: the reviewer's API has a server error \(HTTP 500\): Internal server error/),
    });
    expect(result.stdout).toContain("Review 1 of 10: done");
    expect(result.stdout).toContain(
      "Reviewed by kimi:kimi-k2, because others could not. glm: the reviewer's API has a",
    );
    expect(result.stderr).toContain("ccc: Reviewed by kimi:kimi-k2, because others could not.");
    expect(place.reviews()).toHaveLength(3);
    const log = await readFile(join(place.project, ".claude/ccc/supervisor.log"), "utf8");
    expect(log).toContain("glm: the API answers HTTP 500; claude is retrying (2 of 2)");
    expect(log).toContain("Asking kimi:kimi-k2");
  });

  test("for plain claude after `ccc use --supervisor`", async () => {
    await using kimi = newSandbox(inTurn({ reviewer: [DONE] }));
    await using place = await placeWithFallback(inTurn({ agent: [{ say: "done" }], reviewer: [BROKEN] }), kimi);
    expect(await place.ccc(["use", "--supervisor", "glm"])).toMatchObject({ exitCode: 0 });
    const claude = Bun.spawn([join(place.bin, "claude"), "-p", "work"], {
      cwd: place.project,
      env: place.env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    expect(await claude.exited).toBe(0);
    expect(rolesOf(kimi)).toEqual(["reviewer"]);
    for (const seen of credentials(kimi)) expect(seen).toEqual({ bearer: "Bearer kimi-token", key: "kimi-token" });
  });
});

test("if no reviewer is available, the loop says why for each: a quota is not a refused key", async () => {
  await using kimi = newSandbox(inTurn({ reviewer: [QUOTA] }));
  await using place = await placeWithFallback(inTurn({ agent: [{ say: "done" }], reviewer: [BROKEN] }), kimi);

  const result = await place.ccc(["--supervisor", "--engine", "loop", "glm", "the task"], {
    env: { CLAUDE_CODE_MAX_RETRIES: "1" },
  });

  expect(result.exitCode).toBe(4);
  const reasons = [
    "glm: the reviewer's API has a server error (HTTP 500): Internal server error; try again later",
    "kimi:kimi-k2: the reviewer's usage limit is reached (HTTP 403): You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends; try again later",
  ].join(". ");
  expect(result.stderr).toContain("… glm: the API answers HTTP 500; claude is retrying (1 of 1)");
  expect(result.stderr).toContain(`NOT reviewed: ${reasons}. The agent was allowed to stop`);
  expect(result.stderr).not.toContain("refused");
  const folder = join(place.project, ".claude/ccc");
  const name = (await readdir(folder)).find((each) => each.endsWith("-report.json")) ?? "none";
  const report = JSON.parse(await readFile(join(folder, name), "utf8"));
  expect(report).toMatchObject({ reason: reasons, rounds: [{ verdict: "not reviewed", reviewer: "kimi:kimi-k2" }] });
});
