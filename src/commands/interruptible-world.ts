import type { ChildResult } from "../os/child.ts";
import type { EndSignal, World } from "../world.ts";

export interface InterruptibleWorld {
  /** Starts no program any more as soon as ccc is asked to end: between two programs nobody else would notice it. */
  readonly world: World;
  /** The signal that asked it to end. */
  readonly signal: () => EndSignal | undefined;
  readonly stopListening: () => void;
}

export function interruptibleWorld(world: World): InterruptibleWorld {
  let first: EndSignal | undefined;
  const stopListening = world.onSignal((signal) => {
    first ??= signal;
  });
  return {
    world: { ...world, run: (request) => (first === undefined ? world.run(request) : Promise.resolve(INTERRUPTED)) },
    signal: () => first,
    stopListening,
  };
}

const INTERRUPTED: ChildResult = { exitCode: null, ending: "interrupted", stderr: "" };
