import type { Repository } from "./find-repository.ts";
import type { GitBytes } from "./own-git.ts";

const LARGEST_TEXT = 1_000_000;
const MOST_TEXT = 20_000_000;

/** The content of files by their ids in git. Left out: what is missing, too large, or not what its id says. */
export async function readBlobs(
  git: GitBytes,
  ids: readonly string[],
  format: Repository["format"],
): Promise<Map<string, string>> {
  const wanted = withinLimits(await git(["cat-file", "--batch-check"], asLines(ids)));
  const output = wanted.length === 0 ? Buffer.alloc(0) : await git(["cat-file", "--batch"], asLines(wanted));
  const texts = new Map<string, string>();
  for (let at = 0; ; ) {
    const end = output.indexOf("\n", at);
    const header = HEADER.exec(output.toString("latin1", at, end));
    // The end, or something that cannot be understood.
    if (header === null) return texts;
    const [, id = "", size] = header;
    const content = output.subarray(end + 1, end + 1 + Number(size));
    // Git does not check that, and the agent can write into the repository's objects.
    const hash = new Bun.CryptoHasher(format).update(`blob ${size}\0`).update(content).digest("hex");
    if (hash === id) texts.set(id, content.toString("utf8"));
    at = end + 1 + Number(size) + 1;
  }
}

/** "<id> blob <size>". */
const HEADER = /^([0-9a-f]+) blob (\d+)$/;

function withinLimits(output: Buffer): string[] {
  let total = 0;
  return output
    .toString("latin1")
    .split("\n")
    .flatMap((line) => {
      const [, id = "", size] = HEADER.exec(line) ?? [];
      if (size === undefined || Number(size) > LARGEST_TEXT) return [];
      total += Number(size);
      return total > MOST_TEXT ? [] : [id];
    });
}

function asLines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join("");
}
