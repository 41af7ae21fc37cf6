import { describe, expect, test } from "bun:test";
import type { ChildRequest } from "../../../src/os/child.ts";
import { type Role, runScripted, type ScriptedRun, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { inTurn } from "../../harness.ts";
import { fakeWorld } from "../fakes.ts";

describe("the scripted model", () => {
  const post = (url: string, body: object) =>
    fetch(`${url}/v1/messages?beta=true`, { method: "POST", body: JSON.stringify(body) });
  const asAgent = { model: "m", messages: [], tools: [{ name: "Bash" }] };
  const asReviewer = { model: "m", messages: [], tools: [{ name: "Bash" }, { name: "StructuredOutput" }] };

  test("plays the turns of each role in order and records the requests", async () => {
    const sandbox = startSandbox(
      inTurn({
        agent: [{ use: "Bash", input: { command: "ls" } }, { say: "done" }],
        reviewer: [{ verdict: { completed: false, feedback: "no" } }],
      }),
    );
    const content = async (body: object) =>
      ((await (await post(sandbox.url, body)).json()) as { content: unknown[] }).content[0];
    expect(await content(asAgent)).toMatchObject({ type: "tool_use", name: "Bash", input: { command: "ls" } });
    expect(await content(asReviewer)).toMatchObject({
      name: "StructuredOutput",
      input: { completed: false, feedback: "no" },
    });
    expect(await content(asAgent)).toEqual({ type: "text", text: "done" });
    expect(await content(asAgent)).toEqual({ type: "text", text: "done" });
    expect(await content({ model: "m", messages: [] })).toEqual({ type: "text", text: "ok" });
    const warmUp = [{ role: "user", content: [{ type: "text", text: "Warmup" }] }];
    expect(await content({ ...asAgent, messages: warmUp })).toEqual({ type: "text", text: "ok" });
    const roles: Role[] = ["agent", "reviewer", "agent", "agent", "helper", "helper"];
    expect(sandbox.received.map(({ role }) => role)).toEqual(roles);
    await sandbox.stop();
  });

  test("a request after the verdict, as older versions send it, takes no turn", async () => {
    const verdict = { completed: true, feedback: "yes" };
    const sandbox = startSandbox(inTurn({ agent: [{ say: "agent" }], reviewer: [{ verdict }] }));
    const messages = (name: string, type: string) => [
      { role: "assistant", content: [{ type: "tool_use", name }] },
      { role: "user", content: [{ type }] },
    ];
    const textOf = async (body: object) =>
      ((await (await post(sandbox.url, body)).json()) as { content: { type: string; text?: string }[] }).content[0]
        ?.text;
    expect(await textOf({ ...asReviewer, messages: messages("StructuredOutput", "tool_result") })).toBe("ok");
    expect(sandbox.received).toEqual([]);
    expect(await textOf({ ...asReviewer, messages: messages("Bash", "tool_result") })).toBeUndefined();
    expect(await textOf({ ...asReviewer, messages: messages("StructuredOutput", "text") })).toBeUndefined();
    expect(await textOf({ ...asAgent, messages: messages("StructuredOutput", "tool_result") })).toBe("agent");
    expect(sandbox.received).toHaveLength(3);
    await sandbox.stop();
  });

  test("streams, delays and fails as scripted, on 127.0.0.1 only", async () => {
    const sandbox = startSandbox(
      inTurn({
        agent: [
          { say: "slow", delayMs: 30 },
          { fail: 529, message: "busy" },
        ],
      }),
    );
    expect(sandbox.url).toStartWith("http://127.0.0.1:");
    const start = performance.now();
    const streamed = await (await post(sandbox.url, { ...asAgent, stream: true })).text();
    expect(performance.now() - start).toBeGreaterThanOrEqual(25);
    expect([...streamed.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    const failed = await post(sandbox.url, asAgent);
    expect(failed.status).toBe(529);
    expect(await failed.json()).toMatchObject({ type: "error", error: { message: "busy" } });
    expect((await fetch(`${sandbox.url}/v1/other`)).status).toBe(404);
    await sandbox.stop();
  });
});

describe("a scripted run", () => {
  const RUN: ScriptedRun = {
    claude: "/opt/claude",
    engine: "hook",
    task: "do it",
    options: ["--model", "m"],
    checks: ["true", "make"],
    script: () => () => ({ say: "done" }),
  };

  /** What ccc runs, and what the caller sees of it. */
  async function scripted(parts: Partial<ScriptedRun>) {
    const requests: ChildRequest[] = [];
    let isRemoved = false;
    const { world, files } = fakeWorld({
      env: { HOME: "/home/u", PATH: "/bin", GLM_API_KEY: "secret" },
      scratch: () => ({
        path: "/scratch",
        remove: () => {
          isRemoved = true;
        },
      }),
      run: async (request) => {
        requests.push(request);
        const isStopped = request.onLine(new TextEncoder().encode("the first line of many"));
        return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "" };
      },
    });
    const seen = await runScripted(world, { ...RUN, ...parts }, ({ ended, project }) => ({
      ended,
      project,
      isRemoved,
    }));
    return { seen, request: requests[0], files, isRemoved: () => isRemoved };
  }

  test.each([
    ["hook", ["-p"]],
    ["loop", []],
  ] as const)("the %s engine gets the task with %j", async (engine, print) => {
    const { request } = await scripted({ engine });
    expect(request?.program.args).toEqual([
      ...["--supervisor", "--engine", engine, "--check", "true", "--check", "make", "scripted"],
      ...[...print, "--model", "m", "--", "do it"],
    ]);
  });

  test("the run is not cut short, and its files stay until the caller has looked at them", async () => {
    const { seen, isRemoved } = await scripted({});
    expect(seen).toMatchObject({ ended: { ending: "exited" }, project: "/scratch/project", isRemoved: false });
    expect(isRemoved()).toBe(true);
  });

  test("none of the user's files and keys reach it", async () => {
    const { request } = await scripted({});
    expect(request?.program.env).toMatchObject({
      HOME: "/scratch/home",
      CCC_CLAUDE: "/opt/claude",
      TMPDIR: "/scratch",
    });
    expect(request?.program.env).not.toHaveProperty("GLM_API_KEY");
  });

  test.each([undefined, "Be strict."])("the reviewer's instructions are %j", async (instructions) => {
    const { files } = await scripted(instructions === undefined ? {} : { instructions });
    expect(files.read("/scratch/home/.claude/SUPERVISOR.md")).toBe(instructions);
  });
});
