import fc from "fast-check";
import { ONE_REVIEW, provider } from "../harness.ts";
import { type Campaign, type Outcome, type Problems, tryEach } from "./campaign.ts";
import { CANARY } from "./odd.ts";
import type { Random } from "./random.ts";
import { newScene, type Scene } from "./scene.ts";
import { quickClaude } from "./stand-in.ts";

/** A config with a key. */
export const CONFIG = { providers: { glm: provider({ url: "http://127.0.0.1:9" }, CANARY) } };

interface Target<T> {
  readonly input: fc.Arbitrary<T>;
  readonly attack: (scene: Scene, input: T) => Promise<Problems>;
}

/** Fuzzes dist/ccc, with a stand-in for claude that answers at once. */
export function fuzzingBinary<T>(name: string, what: string, how: string, { input, attack }: Target<T>): Campaign {
  const run = async (count: number, random: Random): Promise<Outcome> => {
    await using scene = await newScene();
    // High enough that no try reaches the limit of reviews.
    await scene.place.config({ ...CONFIG, supervisor: { ...ONE_REVIEW, max_iterations: 1_000_000 } });
    await quickClaude(scene.place, { completed: true, feedback: "seen" });
    const inputs = fc.sample(input, { seed: random.below(2 ** 31), numRuns: count });
    return await tryEach(
      inputs,
      1,
      (each) => JSON.stringify(each).slice(0, 600),
      (each) => attack(scene, each),
    );
  };
  return { name: `binary/${name}`, what, how: `dist/ccc; ${how}`, tries: 150, quick: 5, run };
}
