import { describe, expect, test } from "bun:test";
import { readBlobs } from "../../../../src/supervisor/baseline/read-blobs.ts";

const idOf = (text: string) =>
  new Bun.CryptoHasher("sha1").update(`blob ${Buffer.byteLength(text)}\0${text}`).digest("hex");
const blob = (text: string, id = idOf(text)) => `${id} blob ${Buffer.byteLength(text)}\n${text}\n`;

/** Reads texts that git has, where it prints this for them. */
async function read(texts: readonly string[], printed = texts.map((text) => blob(text)).join("")) {
  const headers = texts.map((text) => `${idOf(text)} blob ${Buffer.byteLength(text)}\n`).join("");
  const git = async (args: readonly string[]) => Buffer.from(args.includes("--batch-check") ? headers : printed);
  return [...(await readBlobs(git, texts.map(idOf), "sha1")).values()];
}

describe("texts that git has", () => {
  test.each([[["one\n"]], [["one\n", "", "ä\n\n文"]], [[]]])("%j are read", async (texts) =>
    expect(await read(texts)).toEqual(texts),
  );

  test("a text that is not what its id says is left out, and the others are not", async () =>
    expect(await read(["a", "b"], blob("x", idOf("a")) + blob("b"))).toEqual(["b"]));

  test.each(["", "?", "?\n", `${idOf("b")} missing\n`, `${idOf("b")} tree 1\nb\n`])(
    "what follows %j is not understood",
    async (odd) => expect(await read(["a", "b", "c"], `${blob("a")}${odd}`)).toEqual(["a"]),
  );
});

describe("how much is read", () => {
  /** How many texts of these sizes git is asked for. */
  async function asked(sizes: readonly number[]): Promise<number> {
    let wanted = 0;
    const git = async (args: readonly string[], stdin = "") => {
      if (args.includes("--batch-check"))
        return Buffer.from(sizes.map((size, index) => `${index} blob ${size}\n`).join(""));
      wanted = stdin.split("\n").length - 1;
      return Buffer.alloc(0);
    };
    await readBlobs(git, [], "sha1");
    return wanted;
  }
  const MB = 1_000_000;

  test("a text of at most 1 MB", async () => expect(await asked([MB, MB + 1])).toBe(1));
  test("20 MB together", async () => expect(await asked([...Array(20).fill(MB), 1])).toBe(20));
  test("git is not started for nothing", async () => {
    const commands: string[] = [];
    const git = async (args: readonly string[]) => {
      commands.push(args.join(" "));
      return Buffer.from("1 missing\n");
    };
    await readBlobs(git, ["1"], "sha1");
    expect(commands).toEqual(["cat-file --batch-check"]);
  });
});
