import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Received } from "../../../src/sandbox/sandbox.ts";
import { shellWord } from "../../../src/text/shell.ts";
import { type Place, provider } from "../../harness.ts";
import { afterLook, DONE, LOOK, notDone, supervisedPlace } from "../../supervised.ts";
import type { Context } from "./reviewer.ts";

const EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"];

/** Hooks that record every event that they get. */
function hooks(place: Place, name: string): object {
  const command = `printf '%s\\n' "$(cat)" >> ${shellWord(place.at(`${name}.jsonl`))}`;
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [{ type: "command", command }] }]]));
}

/** A marketplace with plugins that have such hooks. */
async function plugins(place: Place, names: readonly string[]): Promise<void> {
  const market = { source: { source: "directory", path: place.at("market") }, installLocation: place.at("market") };
  const lastUpdated = new Date().toISOString();
  await place.write(place.at("market/.claude-plugin/marketplace.json"), {
    name: "market",
    owner: { name: "somebody" },
    plugins: names.map((name) => ({ name, source: `./${name}`, description: "writes down events" })),
  });
  await place.write(place.at(".claude/plugins/known_marketplaces.json"), { market: { ...market, lastUpdated } });
  for (const name of names) {
    await place.write(place.at("market", name, ".claude-plugin/plugin.json"), { name, version: "1.0.0" });
    await place.write(place.at("market", name, "hooks/hooks.json"), { hooks: hooks(place, name) });
  }
  const installed = (name: string) => ({
    scope: "user",
    version: "1.0.0",
    installPath: place.at("market", name),
    installedAt: lastUpdated,
    lastUpdated,
  });
  await place.write(place.at(".claude/plugins/installed_plugins.json"), {
    version: 2,
    plugins: Object.fromEntries(names.map((name) => [`${name}@market`, [installed(name)]])),
  });
}

async function eventsOf(place: Place, name: string): Promise<{ hook_event_name: string; session_id: string }[]> {
  const lines = (await readFile(place.at(`${name}.jsonl`), "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function isFresh({ body }: Received): boolean {
  return JSON.stringify(body.messages).includes("You do not see its");
}

test.each(["pinned", "oldest"] as const)(
  "HOOK-20 with the %s Claude Code hooks of the user, of the project and of plugins, wherever enabled, run in the agent's session and in no reviewer",
  async (version) => {
    const configure = (context: Context) =>
      place.config({
        settings: { enabledPlugins: { "of-ccc-json@market": true }, permissions: { allow: ["Bash"] } },
        providers: { glm: provider(place.sandbox, "glm-token") },
        supervisor: { context },
      });
    const ways: string[] = [];
    await using place = await supervisedPlace((received) => {
      if (received.role !== "reviewer") return afterLook({ say: "finished" }, received);
      if (afterLook(DONE, received) === LOOK) return LOOK;
      ways.push(isFresh(received) ? "fresh" : "session");
      return ways.length > 1 ? DONE : { ...notDone("again"), after: configure("fresh") };
    });
    if (version === "oldest") await place.oldest();
    await plugins(place, ["of-the-user", "of-ccc-json", "of-the-launch"]);
    await place.write(place.at(".claude/settings.json"), {
      enabledPlugins: { "of-the-user@market": true },
      hooks: hooks(place, "user"),
    });
    await place.write(join(place.project, ".claude/settings.json"), { hooks: hooks(place, "project") });
    await configure("session");
    await Bun.$`git init -q ${place.project}`;

    const args = ["-p", "x", "--plugin-dir", place.at("market/of-the-launch")];
    expect(await place.ccc(["--supervisor", "glm", ...args])).toMatchObject({ exitCode: 0, stdout: "finished\n" });
    expect(ways).toEqual(["session", "fresh"]);
    const [{ session_id: session } = { session_id: "" }] = await eventsOf(place, "of-the-user");
    for (const name of ["user", "project", "of-the-user", "of-ccc-json", "of-the-launch"]) {
      const events = await eventsOf(place, name);
      const sessions = [...new Set(events.map(({ session_id }) => session_id))];
      const names = new Set(events.map(({ hook_event_name }) => hook_event_name));
      expect({ name, sessions, names }).toEqual({ name, sessions: [session], names: new Set(EVENTS) });
    }
  },
);
