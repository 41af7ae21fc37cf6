import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keyCommandLine } from "../src/providers/identity.ts";
import { bench } from "./measure.ts";

/**
 * What ccc adds to the start of claude, with `-p` and in a terminal, and what `ccc key` costs, which Claude Code waits for
 * before its first request. Also with two of Claude Code's variables in the shell, which should change nothing, and with a
 * proxy, which gives a launch its own settings file.
 */

const VARIABLES = { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
const PROXY = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "localhost" };
const CLAUDE = "stand-in for claude";

await bench(
  async (ccc, { home, bin }) => {
    // The smallest possible stand-in for claude.
    const claude = join(bin, "claude");
    await copyFile(Bun.which("true") ?? "", claude);
    const server = "http://127.0.0.1:9";
    const provider = (key: string) => ({
      env: { ANTHROPIC_BASE_URL: server, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: "m" },
    });
    const folder = join(home, ".claude");
    const providers = { glm: provider("sk-0123456789"), kimi: provider("file:key") };
    await writeFile(join(folder, "ccc.json"), JSON.stringify({ current_provider: "glm", providers }));
    await writeFile(join(folder, "key"), "sk-0123456789\n");
    const key = (name: string) => ({ command: keyCommandLine(ccc, name, folder, server).split(" ") });
    const [withP, terminal] = [
      [ccc, "glm", "-p", "hi"],
      [ccc, "glm"],
    ];
    // As many as a shell usually has.
    const shell = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`VARIABLE_${index}`, "value"]));
    return {
      [CLAUDE]: { command: [claude] },
      "ccc glm -p": { command: withP },
      "ccc glm": { command: terminal },
      "ccc glm -p, Claude Code's variables": { command: withP, env: VARIABLES },
      "ccc glm, Claude Code's variables": { command: terminal, env: VARIABLES },
      "ccc glm -p, a proxy": { command: withP, env: PROXY },
      "ccc glm, a proxy": { command: terminal, env: PROXY },
      "ccc glm -p, 40 other variables": { command: withP, env: shell },
      "ccc key, stored in ccc.json": key("glm"),
      "ccc key, stored in a file": key("kimi"),
    };
  },
  [
    { name: "ccc glm -p", without: CLAUDE, limit: 1.3 },
    { name: "ccc glm", without: CLAUDE, limit: 1.35 },
    { name: "ccc glm -p, Claude Code's variables", without: CLAUDE, limit: 1.4 },
    { name: "ccc glm, Claude Code's variables", without: CLAUDE, limit: 1.45 },
    { name: "ccc glm -p, a proxy", without: CLAUDE, limit: 1.4 },
    { name: "ccc glm, a proxy", without: CLAUDE, limit: 1.45 },
    { name: "ccc glm -p, 40 other variables", without: CLAUDE, limit: 1.3 },
    { name: "ccc key, stored in ccc.json", limit: 1.3 },
  ],
);
