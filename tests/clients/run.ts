import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CCC, CLAUDE, newPlace, newSandbox, provider, settledIn } from "../harness.ts";
import { afterLook } from "../supervised.ts";
import { answerOf, EXPLAINED, loadSdk, SCENARIOS, type Sdk, type Seen } from "./sdk.ts";

/**
 * `bun run test:clients [SCENARIO…]`: installs programs that drive claude from npm, at pinned versions and in a temporary
 * folder, and runs them with claude itself, with `ccc-glm` in its place, and with a supervised one. What they see must be the
 * same, except for what docs/clients.md explains.
 */

const DONE = { say: JSON.stringify({ completed: true, feedback: "seen" }) };

const SDK = { "@anthropic-ai/claude-agent-sdk": "0.3.325", zod: "4.1.13" };

const folder = await mkdtemp(join(tmpdir(), "ccc-clients-"));
try {
  await Bun.write(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: SDK }));
  // Its claude would be another one.
  const install = Bun.spawn([process.execPath, "install", "--omit=optional"], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await install.exited) !== 0) throw new Error(`bun install failed: ${await install.stderr.text()}`);
  const sdk = await loadSdk(folder);
  const named = process.argv.slice(2);
  const names = Object.keys(SCENARIOS).filter(
    (name) => named.length === 0 || named.some((word) => name.includes(word)),
  );
  let differences = 0;
  for (const name of names) {
    const claude = await tryWith("claude", name, sdk);
    for (const how of ["ccc-glm", "supervised"] as const) {
      const seen = withoutExplained(await tryWith(how, name, sdk));
      const isSame = Bun.deepEquals(seen, claude);
      if (!isSame) differences++;
      console.log(`${isSame ? "same" : "DIFFERENT"}  ${how}: ${name}`);
      if (!isSame) console.log(`  claude: ${JSON.stringify(claude)}\n  ${how}: ${JSON.stringify(seen)}`);
    }
  }
  console.log(differences === 0 ? `All ${names.length} scenarios are the same.` : `${differences} differences.`);
  process.exitCode = differences === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

/** What a client sees with one of the three. Each has a home of its own. */
async function tryWith(how: "claude" | "ccc-glm" | "supervised", name: string, sdk: Sdk): Promise<Seen> {
  await using place = await newPlace();
  const waits = Promise.withResolvers<void>();
  await using sandbox = newSandbox((received) => {
    const asked = JSON.stringify(received.body.messages);
    return asked.includes("This message comes from ccc") ? afterLook(DONE, received) : answerOf(asked, waits.resolve);
  });
  await settledIn(place);
  await place.config({ providers: { glm: provider(sandbox, "token-of-tests") } });
  const program = place.at(how);
  const command = how === "supervised" ? [CCC, "--supervisor", "glm"] : [CCC, "--as=glm"];
  await place.write(program, `#!/bin/sh\nexec ${command.map((word) => `"${word}"`).join(" ")} "$@"\n`);
  await chmod(program, 0o755);
  const server = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "token-of-tests" };
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`no scenario "${name}"`);
  const options = {
    pathToClaudeCodeExecutable: how === "claude" ? CLAUDE : program,
    cwd: place.project,
    env: { ...place.env, ...(how === "claude" ? server : {}) },
    stderr: () => {},
  };
  // Awaited here: after this function, the home is gone.
  return await scenario(sdk, options, waits.promise);
}

/** What a supervised client sees besides: how each turn was reviewed. */
function withoutExplained(seen: Seen): Seen {
  return { ...seen, messages: seen.messages.filter((kind) => !EXPLAINED.includes(kind)) };
}
