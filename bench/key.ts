import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keyCommandLine } from "../src/providers/identity.ts";
import { bench } from "./measure.ts";

/** The time of `ccc key`, which Claude Code waits for before its first request, relative to an empty Bun program. */

await bench(
  async ({ ccc, place, compileEmpty }) => {
    const folder = join(place.home, ".claude");
    const server = "http://127.0.0.1:9";
    const provider = (key: string) => ({ env: { ANTHROPIC_BASE_URL: server, ANTHROPIC_AUTH_TOKEN: key } });
    const providers = { glm: provider("sk-0123456789"), kimi: provider("file:key") };
    await writeFile(join(folder, "ccc.json"), JSON.stringify({ current_provider: "glm", providers }));
    await writeFile(join(folder, "key"), "sk-0123456789\n");
    const key = (name: string) => ({ command: keyCommandLine(ccc, name, folder, server).split(" ") });
    return { empty: { command: [await compileEmpty()] }, "key in ccc.json": key("glm"), "key in a file": key("kimi") };
  },
  [{ name: "key in ccc.json", limit: 1.3 }],
);
