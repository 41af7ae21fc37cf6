import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../src/sandbox/server.ts";
import type { Script, Turn } from "../src/sandbox/turns.ts";
import { inTurn, newPlace, newSandbox, type Place, provider, settledIn } from "./harness.ts";

export const DONE: Turn = { verdict: { completed: true, feedback: "seen" } };
export const notDone = (feedback: string): Turn => ({ verdict: { completed: false, feedback } });

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

export async function supervisedPlace(
  script: Script = inTurn({}),
  { token = "glm-token", supervisor = {} } = {},
): Promise<SupervisedPlace> {
  const place = await newPlace();
  const sandbox = newSandbox(script);
  await settledIn(place);
  await place.config({ providers: { glm: provider(sandbox, token) }, supervisor });
  return {
    ...place,
    sandbox,
    turns: () =>
      sandbox.received.flatMap(({ role, body }) => (role === "agent" ? [JSON.stringify(body.messages)] : [])),
    reviews: () =>
      sandbox.received.flatMap(({ role, body }) =>
        // Claude Code appends notices of its own to the message.
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
