import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, converse, HOWS, UNREVIEWED } from "./claudes.ts";
import { CLIENTS } from "./clients.ts";

/**
 * `bun run test:clients [WORD…]`: installs programs that drive claude from npm, at pinned versions and in a temporary
 * folder, and runs them with claude itself, with `ccc-glm` in its place, and with a supervised one. What they see must be the
 * same, except for what docs/clients.md explains.
 */

const root = await mkdtemp(join(tmpdir(), "ccc-clients-"));
try {
  const words = process.argv.slice(2);
  let tried = 0;
  let differences = 0;
  for (const [name, client] of Object.entries(CLIENTS)) {
    const named = Object.entries(client.conversations).filter(
      ([conversation]) => words.length === 0 || words.some((word) => `${name}: ${conversation}`.includes(word)),
    );
    if (named.length === 0) continue;
    const folder = await install(name, client);
    for (const [conversation, run] of named) {
      const [claude, ...others] = await Promise.all(
        HOWS.map((how) => converse(how, (claude) => run(claude, folder)).then((got) => ({ how, ...got }))),
      );
      tried++;
      for (const { how, seen, outcomes } of others) {
        const isReviewed = how === "supervised" && !UNREVIEWED.includes(conversation);
        const problem = !Bun.deepEquals(seen, claude?.seen)
          ? `DIFFERENT\n  claude: ${JSON.stringify(claude?.seen)}\n  ${how}: ${JSON.stringify(seen)}`
          : !Bun.deepEquals([...new Set(outcomes)], isReviewed ? ["done"] : []) && `REVIEWS: ${outcomes.join(", ")}`;
        if (problem) differences++;
        console.log(`${name}: ${conversation}, ${how}: ${problem || "same"}`);
      }
    }
    await rm(folder, { recursive: true });
  }
  console.log(differences === 0 ? `All ${tried} conversations are the same.` : `${differences} differences.`);
  process.exitCode = tried > 0 && differences === 0 ? 0 : 1;
} finally {
  await rm(root, { recursive: true });
}

/** Each has a folder of its own: they need different versions of the same packages. */
async function install(name: string, { packages, isWhole = false }: Client): Promise<string> {
  const folder = join(root, name.replaceAll(/\W/g, "-"));
  await mkdir(folder);
  await Bun.write(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
  const options = isWhole ? [] : ["--omit=optional"];
  const child = Bun.spawn([process.execPath, "install", ...options], {
    cwd: folder,
    stdout: "ignore",
    stderr: "pipe",
  });
  const problem = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${name} cannot be installed: ${problem}`);
  return folder;
}
