import { messageOf } from "../../errors.ts";
import { resolveKey } from "../../providers/secrets.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";

/** The key may be added later, so this only warns. Commands run only when the key is needed. */
export async function warnOfReference(reference: string, world: World): Promise<void> {
  if (reference.startsWith("cmd:")) return;
  try {
    await resolveKey(reference, reference, world);
  } catch (error) {
    createLog(world).warn(`the reference has no key yet: ${messageOf(error)}`);
  }
}
