import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Received, Sandbox, Script, Turn } from "../src/sandbox/sandbox.ts";
import { inTurn, newPlace, newSandbox, ONE_REVIEW, type Place, provider, settledIn } from "./harness.ts";

export const DONE: Turn = { verdict: { completed: true, feedback: "seen" } };
export const notDone = (feedback: string): Turn => ({ verdict: { completed: false, feedback } });

/** How Claude Code shows a prompt that the first review found done, if it reviewed it alone. */
export const SAYS_DONE = "Stop says: Review 1 of 10: done";

export const LOOK: Turn = { use: "Bash", input: { command: "git status", description: "look" } };

/** A reviewer that runs a command before it answers. */
export function afterLook(turn: Turn, { body }: Received): Turn {
  return JSON.stringify(body.messages.at(-1)).includes("tool_result") ? turn : LOOK;
}

/** A place whose only provider is a sandbox, ready for `ccc --supervisor glm`. */
export interface SupervisedPlace extends Place {
  readonly sandbox: Sandbox;
  /** The conversation in every request of the agent, in order. */
  turns(): string[];
  /** The text of every review message, in order. */
  reviews(): string[];
  /** ccc's record of the only session: its files by name. */
  record(): Promise<Readonly<Record<string, string>>>;
}

/** Unless it `isConfirmed`, as by default, one review is enough for a "done". */
export async function supervisedPlace(
  script: Script = inTurn({}),
  { token = "glm-token", supervisor = {}, isConfirmed = false } = {},
): Promise<SupervisedPlace> {
  const place = await newPlace();
  const sandbox = newSandbox(script);
  await settledIn(place);
  const reviewed = isConfirmed ? supervisor : { ...ONE_REVIEW, ...supervisor };
  await place.config({ providers: { glm: provider(sandbox, token) }, supervisor: reviewed });
  return {
    ...place,
    sandbox,
    turns: () =>
      sandbox.received.flatMap(({ role, body }) => (role === "agent" ? [JSON.stringify(body.messages)] : [])),
    reviews: () =>
      sandbox.received.flatMap(({ role, body }) =>
        // Claude Code appends its own notices to the message.
        role === "reviewer" ? [JSON.stringify(body.messages.slice(-3))] : [],
      ),
    record: async () => {
      const folder = place.at(".claude/ccc/sessions");
      const [session = ""] = await readdir(folder);
      const names = await readdir(join(folder, session));
      return Object.fromEntries(
        await Promise.all(
          names.map(async (name) => [name, await readFile(join(folder, session, name), "utf8")] as const),
        ),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** The supervisor's files in the project. */
export async function traces(place: Place) {
  const folder = join(place.project, ".claude/ccc");
  const names = existsSync(folder) ? await readdir(folder) : [];
  const read = async (suffix: string) => {
    const name = names.find((each) => each.startsWith("supervisor-") && each.endsWith(suffix));
    return name === undefined ? "" : readFile(join(folder, name), "utf8");
  };
  const output = (await read("-output.jsonl")).split("\n").slice(0, -1);
  return { state: JSON.parse((await read(".json")) || "{}"), output: output.map((line) => JSON.parse(line)) };
}

/** The conversations in the user's resume list. */
export async function sessions(place: Place): Promise<string[]> {
  const folder = place.at(".claude/projects");
  const all = await readdir(folder, { recursive: true });
  // The oldest version stores the output of delegated agents next to the conversations.
  return all.filter((name) => name.endsWith(".jsonl") && !basename(name).startsWith("agent-"));
}
