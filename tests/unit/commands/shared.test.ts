import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { everyValue, interruptibleWorld, timeoutIn } from "../../../src/commands/shared.ts";
import type { EndSignal } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

describe("--timeout", () => {
  test("is in seconds, up to an hour, and need not be given", () =>
    expect([undefined, "0.5", "1", "3600"].map(timeoutIn)).toEqual([undefined, 500, 1000, 3_600_000]));

  test.each(["0", "-1", "3601", "soon", ""])("%p is a usage error", (seconds) =>
    expect(() => timeoutIn(seconds)).toThrow("--timeout takes seconds, above 0 and up to 3600"),
  );
});

describe("interruptible world", () => {
  test("after a signal no program starts any more, and the first signal counts", async () => {
    let ran = 0;
    const listeners = new Set<(signal: EndSignal) => void>();
    const { world } = fakeWorld({
      run: async () => {
        ran++;
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const interruptible = interruptibleWorld(world);
    const request = {
      ...{
        program: { file: "/bin/x", args: [], env: {} },
        cwd: "/",
        stdin: "",
        timeoutMs: undefined,
        onLine: () => false,
      },
    };
    expect(await interruptible.world.run(request)).toMatchObject({ exitCode: 0, ending: "exited" });
    expect(interruptible.signal()).toBeUndefined();
    for (const name of ["SIGTERM", "SIGINT"] as const) for (const listener of listeners) listener(name);
    expect(await interruptible.world.run(request)).toEqual({ exitCode: null, ending: "interrupted", stderr: "" });
    expect({ ran, signal: interruptible.signal() }).toEqual({ ran: 1, signal: "SIGTERM" });
    interruptible.stopListening();
    expect(listeners.size).toBe(0);
  });
});

describe("shared arguments", () => {
  test.each([
    [[], []],
    [["id", "--json"], []],
    [
      ["--check", "a b", "--json", "--check=c", "id"],
      ["a b", "c"],
    ],
    [["--model", "m", "--check", "--odd"], ["--odd"]],
  ])("%p", (words, wanted) => expect(everyValue(words, "check")).toEqual(wanted));

  test.each(["usage", "why", "validate"])("ccc %s without a provider is about the current one", async (command) => {
    const config = { current_provider: "login", providers: { glm: {}, login: {} } };
    const content = { "/home/u/.claude/ccc.json": JSON.stringify(config) };
    const { world, said } = fakeWorld({ argv: [command, "--json"], content });
    expect(await run(world)).not.toBe(2);
    expect(said.stdout).toContain('"login"');
    expect(said.stdout).not.toContain('"glm"');
  });
});
