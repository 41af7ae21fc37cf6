import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bench } from "./measure.ts";

/** The time that ccc adds to the start of claude, relative to an empty Bun program. */

await bench(
  async ({ ccc, place, compileEmpty }) => {
    // The smallest possible stand-in for claude. Its own time is shown, and subtracted from ccc's.
    await copyFile(Bun.which("true") ?? "", join(place.bin, "claude"));
    const provider = {
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "m" },
    };
    const config = { current_provider: "glm", providers: { glm: provider, kimi: provider } };
    await writeFile(join(place.home, ".claude/ccc.json"), JSON.stringify(config));
    // As many variables as a shell usually has.
    const shell = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`VARIABLE_${index}`, "value"]));
    return {
      empty: { command: [await compileEmpty()] },
      "stand-in for claude": { command: [join(place.bin, "claude")] },
      "ccc glm -p": { command: [ccc, "glm", "-p", "hi"] },
      "ccc glm": { command: [ccc, "glm"] },
      "ccc glm -p with 40 variables": { command: [ccc, "glm", "-p", "hi"], env: shell },
    };
  },
  [
    { name: "ccc glm -p", without: "stand-in for claude", limit: 1.8 },
    { name: "ccc glm", without: "stand-in for claude", limit: 1.9 },
    { name: "ccc glm -p with 40 variables", without: "stand-in for claude", limit: 1.8 },
  ],
);
