import { describe, expect, test } from "bun:test";
import type { StreamEvent } from "../../../../src/claude/stream.ts";
import { reviewProgress } from "../../../../src/supervisor/review/review-progress.ts";
import type { Session } from "../../../../src/supervisor/review/supervised-stop.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import { fakeWorld } from "../../fakes.ts";

const SECRET = "a-secret-of-the-session-0123456789";
const call = (name: string, what: string) => ({ id: "", name, what });
const says = (...tools: ReturnType<typeof call>[]): StreamEvent => ({
  kind: "text",
  text: "",
  tools,
  usage: undefined,
});
const retry = (status: number | undefined): StreamEvent => ({ kind: "retry", status, attempt: 1, most: 10 });

function progress(parts: Partial<Session> = {}) {
  const { world, files } = fakeWorld();
  const said: string[] = [];
  const session = {
    world,
    now: "/record/now.json",
    log: { say: (message: string) => said.push(message) },
    redactor: createRedactor([SECRET]),
    reviewers: [{}, {}],
    checks: { commands: ["npm test"], env: {}, memory: "" },
    options: { maxIterations: 10, timeoutSeconds: 600, checkTimeoutSeconds: 100 },
    ...parts,
  } as unknown as Session;
  return { ...reviewProgress(session, 2), said, now: () => JSON.parse(files.read("/record/now.json") ?? "null") };
}

describe("the progress of a review", () => {
  test("begins with the process, the round, and when it is over at the latest", () =>
    expect(progress().now()).toEqual({ pid: 42, round: 2, limit: 10, doing: "", ends_by: 1_360_000 }));

  const steps: [what: string, event: StreamEvent, doing: string][] = [
    ["a tool call", says(call("Bash", "npm test")), "Bash npm test"],
    ["the last of several", says(call("Read", "/p/a.ts"), call("Read", "/p/b.ts")), "Read /p/b.ts"],
    ["one line of a script", says(call("Bash", "a\n\u001b[31mb")), "Bash a [31mb"],
    ["a secret", says(call("Bash", `curl -H ${SECRET}`)), "Bash curl -H ***"],
    ["a secret at the cut", says(call("Bash", `${"x".repeat(185)} ${SECRET}`)), `Bash ${"x".repeat(185)} ***`],
    ["a long command", says(call("Bash", "x".repeat(500))), `Bash ${"x".repeat(195)}`],
    ["an error of the server", retry(529), "HTTP 529, trying again"],
    ["a server that is not there", retry(undefined), "server not reached, trying again"],
    ["words between two calls", says(), "check npm test"],
    ["results", { kind: "tool results", results: [] }, "check npm test"],
  ];
  test.each(steps)("shows %s", (_, event, doing) => {
    const { check, read, now, begin } = progress();
    check("npm test");
    read(event);
    expect(now().doing).toBe(doing);
    begin();
    expect(now().doing).toBe("");
  });

  test("that cannot be saved is reported once", () => {
    const { world } = fakeWorld();
    const files = {
      ...world.files,
      writePrivate: () => {
        throw new Error("the disk is full");
      },
    };
    const { check, said } = progress({ world: { ...world, files } });
    check("npm test");
    expect(said).toEqual(["could not save what the review does: the disk is full"]);
  });

  test("of a session without a record is not kept", () => {
    const { check, now, said } = progress({ now: undefined });
    check("npm test");
    expect([now(), said]).toEqual([null, []]);
  });
});
