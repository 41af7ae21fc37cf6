import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";

const ConsentSchema = v.object({ folder: v.string(), commands: v.array(v.string()), agreed: v.boolean() });

/** The user's answer for the commands of a project: exactly these, in this folder. */
export interface CheckConsent {
  readonly path: string;
  /** The answer; undefined if the user has never been asked. */
  readonly read: () => boolean | undefined;
  readonly save: (agreed: boolean) => void;
}

export function checkConsent(
  files: Files,
  { generated }: Pick<Paths, "generated">,
  folder: string,
  commands: readonly string[],
): CheckConsent {
  const about = { folder, commands: [...commands] };
  const name = new Bun.CryptoHasher("sha256").update(JSON.stringify(about)).digest("hex").slice(0, 32);
  const path = join(join(generated, "checks"), `${name}.json`);
  return {
    path,
    read: () => {
      const found = v.safeParse(ConsentSchema, parseJson(files.read(path) ?? ""));
      return found.success ? found.output.agreed : undefined;
    },
    save: (agreed) => files.writePrivate(path, prettyJson({ ...about, agreed })),
  };
}
