import { expect, test } from "bun:test";
import { interruptibleWorld } from "../../../src/commands/interruptible-world.ts";
import type { EndSignal } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

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
