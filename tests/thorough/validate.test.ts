import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { newPlace, newSandbox, type Place, provider } from "../harness.ts";

const KEY = "sk-nobody-may-see-this-key";

/** A server on this machine that records the headers of its requests. */
function newServer(answer: (request: Request) => Response | Promise<Response>) {
  const headers: Record<string, string>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      headers.push(Object.fromEntries(request.headers));
      return answer(request);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, headers, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** Nothing listens here: ports below 1024 are reserved for the system. */
const CLOSED = "http://127.0.0.1:1";

async function validate(place: Place, args: readonly string[], env: Record<string, string> = {}) {
  const result = await place.ccc(["validate", ...args], { env });
  expect(result.stdout + result.stderr).not.toContain(KEY.slice(0, 12));
  expect(result.stdout + result.stderr).not.toContain(KEY.slice(-6));
  return result;
}

/** The verdict on the only provider. */
async function verdict(place: Place, url: string, env: Record<string, unknown> = {}, args: readonly string[] = []) {
  await place.config({ providers: { it: provider({ url }, KEY, env) } });
  const { stdout, exitCode } = await validate(place, ["--json", ...args]);
  const { ok, providers } = JSON.parse(stdout);
  expect(exitCode).toBe(ok ? 0 : 1);
  return providers[0];
}

describe("ccc validate", () => {
  test("accepts a provider that works, with a request like Claude Code's", async () => {
    await using place = await newPlace();
    await using sandbox = newSandbox();
    const found = await verdict(place, sandbox.url, { ANTHROPIC_MODEL: "glm-4.7[1m]" });
    expect(found).toEqual({
      name: "it",
      status: "valid",
      cause: "answered",
      detail: `${sandbox.url} answered as glm-4.7`,
      advice: "",
    });
    const own = sandbox.received[0];
    await place.ccc(["it", "-p", "hi"]);
    const claudes = sandbox.received.find((each) => each !== own && each.role === "agent");
    expect(own?.path).toBe(claudes?.path ?? "");
    expect(own?.body.model).toBe(claudes?.body.model ?? "");
    for (const name of ["authorization", "x-api-key", "anthropic-version", "x-app", "content-type"]) {
      expect({ [name]: own?.headers[name] }).toEqual({ [name]: claudes?.headers[name] });
    }
    expect(claudes?.headers["anthropic-beta"]).toContain(own?.headers["anthropic-beta"] ?? "?");
  });

  test("distinguishes what can be wrong at the server", async () => {
    await using place = await newPlace();
    await using refusing = newSandbox(() => ({ fail: 401, message: `the key ${KEY} is not known` }));
    expect(await verdict(place, refusing.url)).toMatchObject({ status: "invalid", cause: "key_refused" });
    await using modelless = newSandbox(() => ({ fail: 404, message: "model: glm-9 not found" }));
    expect(await verdict(place, modelless.url, { ANTHROPIC_MODEL: "glm-9" })).toMatchObject({ cause: "model_unknown" });
    await using pathless = newServer(() => new Response("404 page not found", { status: 404 }));
    expect(await verdict(place, `${pathless.url}/wrong`)).toMatchObject({ cause: "wrong_path" });
    await using page = newServer(
      () => new Response("<!doctype html><p>Welcome", { headers: { "content-type": "text/html" } }),
    );
    expect(await verdict(place, page.url)).toMatchObject({
      cause: "not_anthropic",
      detail: expect.stringContaining("a web page"),
    });
    await using openai = newServer(() => Response.json({ object: "chat.completion", choices: [{ message: {} }] }));
    expect(await verdict(place, openai.url)).toMatchObject({
      cause: "not_anthropic",
      detail: expect.stringContaining("OpenAI"),
    });
    await using limited = newSandbox(() => ({ fail: 429 }));
    expect(await verdict(place, limited.url)).toMatchObject({ status: "valid", cause: "rate_limited" });
    await using broken = newSandbox(() => ({ fail: 529 }));
    expect(await verdict(place, broken.url)).toMatchObject({ status: "invalid", cause: "server_error" });
  });

  test("distinguishes why there is no answer", async () => {
    await using place = await newPlace();
    const unreachable = (says: string) => ({ cause: "unreachable", detail: expect.stringContaining(says) });
    expect(await verdict(place, CLOSED)).toMatchObject(unreachable(`${CLOSED} refuses the connection`));
    await using silent = newServer(() => new Promise(() => {}));
    expect(await verdict(place, silent.url, {}, ["--timeout", "0.3"])).toMatchObject(
      unreachable("did not answer within 0.3 seconds"),
    );
    await using stalling = newServer(() => new Response(new ReadableStream({ start: (to) => to.enqueue("{") })));
    expect(await verdict(place, stalling.url, {}, ["--timeout", "0.3"])).toMatchObject(
      unreachable("did not answer within 0.3 seconds"),
    );
    await using plain = newServer(() => new Response());
    expect(await verdict(place, plain.url.replace("http:", "https:"))).toMatchObject(unreachable("does not speak TLS"));
  });

  test("does not send the key to a redirect target", async () => {
    await using place = await newPlace();
    await using elsewhere = newSandbox();
    await using redirecting = newServer(() => Response.redirect(`${elsewhere.url}/v1/messages?next=${KEY}`, 307));
    expect(await verdict(place, redirecting.url)).toMatchObject({
      cause: "redirected",
      detail: expect.stringContaining(`redirects to ${elsewhere.url}/v1/messages`),
    });
    expect(redirecting.headers[0]?.authorization).toBe(`Bearer ${KEY}`);
    const doctor = await place.ccc(["doctor", "it", "--json"]);
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toContain("another server. ccc did not send your key there; Claude Code would");
    expect(elsewhere.headers).toBeEmpty();
  });

  test("checks all at once, each with its own key, and skips logins", async () => {
    await using place = await newPlace();
    await using good = newSandbox();
    await using bad = newSandbox(() => ({ fail: 403 }));
    await place.config({
      current_provider: "good",
      providers: {
        good: provider(good, KEY),
        bad: { env: { ANTHROPIC_BASE_URL: bad.url, ANTHROPIC_API_KEY: `${KEY}2` } },
        claude: {},
        bedrock: { env: { CLAUDE_CODE_USE_BEDROCK: "1" } },
      },
    });
    const all = await validate(place, ["--all"], { ANTHROPIC_API_KEY: "foreign", ANTHROPIC_BASE_URL: bad.url });
    expect(all.exitCode).toBe(1);
    expect(all.stdout.split("\n")).toEqual([
      expect.stringMatching(/^✓ good {5}http/),
      expect.stringMatching(/^✗ bad {6}http.* rejects the key \(status 403/),
      expect.stringMatching(/^ {11}Check that the key is complete/),
      "- claude   not checked: uses your Claude login",
      expect.stringMatching(/^- bedrock {2}not checked: with CLAUDE_CODE_USE_BEDROCK/),
      "",
    ]);
    expect(good.headers.map((each) => [each.authorization, each["x-api-key"]])).toEqual([[`Bearer ${KEY}`, KEY]]);
    expect(bad.headers.map((each) => [each.authorization, each["x-api-key"]])).toEqual([[`Bearer ${KEY}2`, `${KEY}2`]]);
    expect(await validate(place, [])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^✓ good/) });
    expect(await validate(place, ["claude"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^- claude/),
    });
    expect(await validate(place, ["bad"])).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^✗ bad/) });
  });

  test("resolves references and key helpers, and says why one fails", async () => {
    await using place = await newPlace();
    await using sandbox = newSandbox();
    await place.write(place.at("key"), `${KEY}\n`);
    await chmod(place.at("key"), 0o600);
    const url = { ANTHROPIC_BASE_URL: sandbox.url };
    await place.config({
      providers: {
        file: { env: { ...url, ANTHROPIC_AUTH_TOKEN: "file:~/key" } },
        helper: { env: { ...url, ANTHROPIC_API_KEY: "" }, apiKeyHelper: "cat ~/key", model: "helped" },
        gone: { env: { ...url, ANTHROPIC_AUTH_TOKEN: "env:NO_SUCH_VARIABLE" } },
        keyless: { env: url },
      },
    });
    const { stdout, exitCode } = await validate(place, ["--all", "--json"]);
    const { providers } = JSON.parse(stdout);
    expect(providers.map((each: { cause: string }) => each.cause)).toEqual([
      "answered",
      "answered",
      "configuration",
      "configuration",
    ]);
    expect(providers[2].detail).toContain("NO_SUCH_VARIABLE is not set");
    expect(exitCode).toBe(1);
    expect(sandbox.received.map(({ headers, body }) => [headers["x-api-key"], body.model]).toSorted()).toContainEqual([
      KEY,
      "helped",
    ]);
    expect(sandbox.headers.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  });

  describe("--deep", () => {
    const isLast = (body: object, what: string) =>
      JSON.stringify((body as { messages: unknown[] }).messages.at(-1)).includes(what);
    /** Calls the tool that it is asked to call, and may find it behind a reference or not. */
    const model =
      (findsReferences: boolean): Script =>
      ({ role, body }) => {
        const isCall =
          role === "agent" && (isLast(body, "tool_reference") ? findsReferences : !isLast(body, "tool_result"));
        return isCall ? { use: "report_word", input: { word: "ready" } } : { say: `ok, ${KEY}` };
      };
    const roles = { ANTHROPIC_MODEL: "big", ANTHROPIC_DEFAULT_HAIKU_MODEL: "small" };

    test("has a model do what Claude Code needs, and says what that costs before and after", async () => {
      await using place = await newPlace();
      await using sandbox = newSandbox(model(true));
      await place.config({ providers: { it: provider(sandbox, KEY, roles) } });
      const { stdout, stderr, exitCode } = await validate(place, ["--deep"]);
      expect(exitCode).toBe(0);
      expect(stderr).toContain("at most 16 small requests");
      expect(stdout.split("\n")).toEqual([
        `✓ it  ${sandbox.url} answered as big`,
        "  ✓ model           big (main)",
        "  ✓ model           small (haiku)",
        "  ✓ streaming       the answer arrives as a stream",
        "  ✓ tool call       the model calls a tool",
        "  ✓ tool result     the model continues after a tool result",
        "  ✓ tool reference  the model calls a tool that it found by a tool_reference",
        "  6 requests, 60 tokens counted by the server",
        "",
      ]);
      expect(sandbox.received).toHaveLength(6);
    });

    test("names the setting that helps, for people and for programs", async () => {
      await using place = await newPlace();
      await using sandbox = newSandbox(model(false));
      await place.config({ providers: { it: provider(sandbox, KEY, roles) } });
      const text = await validate(place, ["--deep", "it"]);
      expect(text.exitCode).toBe(1);
      expect(text.stdout).toMatch(/^✗ it .*but lacks: tool reference$/m);
      expect(text.stdout).toContain('Set "ENABLE_TOOL_SEARCH": "false" in the provider\'s env.');
      const found = await verdict(place, sandbox.url, roles, ["--deep"]);
      expect(found).toMatchObject({ status: "invalid", cause: "incomplete", requests: 6 });
      expect(found.checks.at(-1)).toMatchObject({ check: "tool_reference", setting: "ENABLE_TOOL_SEARCH=false" });
      expect(await verdict(place, sandbox.url, { ...roles, ENABLE_TOOL_SEARCH: "false" }, ["--deep"])).toMatchObject({
        status: "valid",
      });
    });

    test("asks nothing of a login or a provider that is not set up", async () => {
      await using place = await newPlace();
      await place.config({ providers: { claude: {}, keyless: provider({ url: CLOSED }, "env:NO_SUCH_VARIABLE") } });
      const text = await validate(place, ["--deep", "--all"]);
      expect(text.stdout).toMatch(/^- claude +not checked: uses your Claude login\n✗ keyless .*\n.*\n$/);
      const { providers } = JSON.parse((await validate(place, ["--deep", "--all", "--json"])).stdout);
      for (const each of providers) expect(each).toMatchObject({ checks: [], requests: 0 });
    });

    test("ends in time if the server hangs in the middle", async () => {
      await using place = await newPlace();
      await using hanging = newServer(async (request) => {
        const { stream } = (await request.json()) as { stream?: boolean };
        return stream
          ? new Response(new ReadableStream({ start: (to) => to.enqueue("event: message_start\n") }))
          : Response.json({ type: "message", content: [] });
      });
      const found = await verdict(place, hanging.url, {}, ["--deep", "--timeout", "0.3"]);
      expect(found.checks[1]).toMatchObject({
        check: "streaming",
        status: "invalid",
        detail: expect.stringContaining("within 0.3 seconds"),
      });
    });
  });

  const mistakes: [args: string[], says: string][] = [
    [["nobody"], 'unknown provider "nobody"'],
    [["--all", "it"], "--all cannot be combined with a provider"],
    [["--timeout", "soon"], "--timeout takes seconds"],
    [["--timeout", "0"], "--timeout takes seconds"],
    [["--every"], "unknown option --every"],
    [["it", "it"], 'unexpected argument "it"'],
  ];
  for (const [args, says] of mistakes) {
    test(`${args.join(" ")} is a usage error`, async () => {
      await using place = await newPlace();
      await place.config({ providers: { it: provider({ url: "http://127.0.0.1:9" }, KEY) } });
      expect(await validate(place, args)).toMatchObject({
        exitCode: 2,
        stdout: "",
        stderr: expect.stringContaining(says),
      });
    });
  }
});
