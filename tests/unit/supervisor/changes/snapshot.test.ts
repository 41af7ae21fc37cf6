import { describe, expect, test } from "bun:test";
import type { ChildRequest } from "../../../../src/os/child.ts";
import type { FileEntry, FileIdentity } from "../../../../src/os/files.ts";
import {
  indexInfo,
  LARGEST_FILE,
  MOST_BYTES,
  ownConfig,
  ownGitBytes,
  parseMarks,
  planUpdate,
  readBlobs,
  smallText,
  writeFileTree,
} from "../../../../src/supervisor/changes/snapshot.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

describe("clear marks", () => {
  test("parseMarks finds assumed and skipped files", () => {
    expect(parseMarks("")).toEqual({ assumed: [], skipped: [] });
    const output = "H plain\0h assumed one\0S skipped\0s both\0M unmerged\0H S\0";
    expect(parseMarks(output)).toEqual({ assumed: ["assumed one", "both"], skipped: ["skipped", "both"] });
  });
});

describe("file tree", () => {
  const TREE = "1".repeat(40);
  const PLACE = { top: "/p", format: "sha1", ownFolder: "/home/ccc" } as const;

  /** Writes a tree where git lists these paths as changed. Returns the git commands, each with the paths it was given. */
  async function commandsFor(listed: readonly string[]): Promise<string[]> {
    const commands: string[] = [];
    const git = async ([command = "", ...args]: readonly string[], stdin = "") => {
      const paths = stdin.split("\0").flatMap((line) => line.split("\t").at(-1) || []);
      commands.push([command, ...args.slice(-1), ...paths].join(" "));
      if (command === "write-tree") return `${TREE}\n`;
      return listed.map((path) => `${path}\0`).join("");
    };
    const files = memoryFiles({ "/p/file": "1", "/p/large": "x".repeat(5_000_001) });
    expect((await writeFileTree(files, git, PLACE)).id).toBe(TREE);
    return commands;
  }

  describe("a tree of the files takes as few runs of git as possible", () => {
    const table: [name: string, listed: string[], updates: string[]][] = [
      ["nothing changed", [], []],
      ["a file changed", ["file"], ["update-index --stdin file"]],
      ["a file is gone", ["gone"], ["update-index --index-info gone"]],
      ["a large file changed", ["large"], ["update-index --index-info large"]],
      ["all of them", ["file", "gone"], ["update-index --index-info gone", "update-index --stdin file"]],
    ];
    test.each(table)("%s", async (_, listed, updates) => {
      const [first, last] = ["ls-files --exclude-standard", "write-tree --missing-ok"];
      expect(await commandsFor(listed)).toEqual([first, ...updates, last]);
    });
  });

  test("50,000 changed files are not too many, one more is", async () => {
    const paths = Array.from({ length: 50_000 }, (_, index) => `${index}`);
    expect(await commandsFor(paths)).toHaveLength(3);
    await expect(commandsFor([...paths, "one more"])).rejects.toThrow("too many files");
  });
});

describe("find repository", () => {
  const LARGEST = 1_000_000;

  const table: [name: string, found: Partial<FileIdentity>, isRead: boolean][] = [
    ["a file of git is read", { size: 7 }, true],
    ["as large as can be", { size: LARGEST }, true],
    ["a larger one is not", { size: LARGEST + 1 }, false],
    ["nor a pipe, which would not end", { isFile: false, size: 0 }, false],
  ];
  test.each(table)("%s", (_, found, isRead) => {
    const files = memoryFiles({ "/p/.git/config": "[core]\n" });
    const identify = (path: string) => {
      const identity = files.identify(path);
      return identity && { ...identity, ...found };
    };
    const text = smallText({ ...files, identify }, "/p/.git/config");
    expect(text).toBe(isRead ? "[core]\n" : undefined);
  });
});

describe("own git", () => {
  const NOW = Date.parse("2026-01-01T00:00:00Z");
  const MOST_BYTES = 32_000_000;

  interface Fake {
    readonly output?: readonly Uint8Array[];
    readonly platform?: World["platform"];
    readonly deadline?: number;
  }

  /** Runs git where it prints this. `asked` is what it was started with, and `isCut` whether it was told to end. */
  async function git({ output = [], platform = "linux", deadline = NOW + 1 }: Fake) {
    const asked: ChildRequest[] = [];
    let isCut = false;
    const run: World["run"] = async (request) => {
      asked.push(request);
      isCut = output.some((chunk) => request.onLine?.(chunk));
      return { ending: isCut ? "stopped" : "exited", exitCode: 0, stderr: "" };
    };
    const program = platform === "win32" ? "C:\\bin/git.exe" : "/bin/git";
    const { world } = fakeWorld({ content: { [program]: "git" }, platform, run, now: () => new Date(NOW) });
    const repository = { top: "/p", gitDir: "/p/.git", common: "/p/.git", format: "sha1", id: "1" } as const;
    const env = { PATH: platform === "win32" ? "C:\\bin" : "/bin" };
    const place = { repository, store: "/s", index: "/s/index", objects: "/s/parts/1/objects", env, deadline };
    const result = await ownGitBytes(world, place)(["ls-files"]).catch((error: Error) => error.message);
    return { result, asked, isCut };
  }

  describe("git as ccc runs it", () => {
    test("may print 32 MB, all of which counts, and is ended when it prints more", async () => {
      const most = new Uint8Array(MOST_BYTES - 1);
      const { result, isCut } = await git({ output: [most, new Uint8Array([7])] });
      expect([result.length, result.at(-1), isCut]).toEqual([MOST_BYTES, 7, false]);
      expect(await git({ output: [most, new Uint8Array(2)] })).toMatchObject({ result: "too many files", isCut: true });
    });

    test("is not started when there is no time left", async () => {
      expect(await git({ deadline: NOW })).toMatchObject({ result: "too slow", asked: [] });
      expect((await git({ deadline: NOW + 1 })).asked).toMatchObject([{ timeoutMs: 1 }]);
    });

    test.each([
      ["linux", '"/s/objects":"/p/.git/objects"'],
      ["win32", '"/s/objects";"/p/.git/objects"'],
    ] as const)("finds the objects of the repository and of earlier prompts on %s", async (platform, folders) => {
      const { asked } = await git({ platform });
      expect(asked[0]?.program.env).toMatchObject({ GIT_ALTERNATE_OBJECT_DIRECTORIES: folders });
    });
  });
});

describe("plan update", () => {
  const file = (size: number, isReadable = true): FileEntry => ({ kind: "file", size, modified: 7, isReadable });
  const other = (kind: FileEntry["kind"]): FileEntry => ({ ...file(0), kind });

  const ENTRIES: Record<string, FileEntry> = {
    small: file(3),
    "x\uDCFF": file(3),
    large: file(LARGEST_FILE + 1),
    locked: file(3, false),
    link: other("link"),
    pipe: other("other"),
    folder: other("folder"),
    "folder/a": file(1),
    inner: other("folder"),
    "link/a": file(1),
  };
  const look = {
    entry: (path: string) => ENTRIES[path],
    inner: (path: string) => (path === "inner" ? "head" : undefined),
  };

  const cases: [name: string, paths: string[], expected: Partial<ReturnType<typeof planUpdate>>][] = [
    ["nothing", [], {}],
    ["a file is read, once", ["small", "small"], { read: ["small"], bytes: 3 }],
    ["a link is read, not what it leads to", ["link"], { read: ["link"] }],
    ["what is behind a link is not in the repository", ["link/a"], { removed: ["link/a"] }],
    ["a file that is gone", ["gone"], { removed: ["gone"] }],
    ["a file that is a folder now", ["folder", "folder/a"], { removed: ["folder"], read: ["folder/a"], bytes: 1 }],
    ["a large file", ["large"], { standIns: [{ path: "large", text: `file ${LARGEST_FILE + 1} 7` }] }],
    ["a file that ccc may not read", ["locked"], { standIns: [{ path: "locked", text: "file 3 7" }] }],
    ["a pipe", ["pipe"], { standIns: [{ path: "pipe", text: "other 0 7" }] }],
    ["a repository inside", ["inner/"], { standIns: [{ path: "inner", text: "head" }] }],
    ["a name that is not UTF-8", ["x\uDCFF"], { read: ["x\uDCFF"], bytes: 3 }],
    [
      "a repository inside that cannot be looked into",
      ["folder/"],
      { standIns: [{ path: "folder", text: "folder 7" }] },
    ],
  ];
  for (const [name, paths, expected] of cases) {
    test(`planUpdate: ${name}`, () =>
      expect(planUpdate(paths, look)).toEqual({ read: [], removed: [], standIns: [], bytes: 0, ...expected }));
  }

  test("planUpdate: all files together are limited too", () => {
    const paths = Array.from({ length: 20 }, (_, index) => `${index}`);
    const plan = planUpdate(paths, { ...look, entry: () => file(LARGEST_FILE) });
    expect(plan.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect([plan.read.length, plan.standIns.length]).toEqual([12, 8]);
    const filled = planUpdate(paths, { ...look, entry: () => file(MOST_BYTES / 16) });
    expect([filled.read.length, filled.bytes]).toEqual([16, MOST_BYTES]);
  });

  test("indexInfo removes paths and adds stand-ins", () => {
    const update = { read: ["x"], removed: ["a b"], standIns: [{ path: "ä", text: "" }], bytes: 0 };
    const none = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    expect(indexInfo(update, "sha1")).toBe(`0 ${"0".repeat(40)} 0\ta b\x00160000 ${none} 0\tä\0`);
    expect(indexInfo(update, "sha256")).toStartWith(`0 ${"0".repeat(64)} 0\t`);
  });
});

describe("read blobs", () => {
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
});

describe("store", () => {
  test("of the repository's configuration only facts about the disk are taken over", () => {
    const planted = `[core]
	fileMode = false
	symlinks = true
	ignorecase = !touch x
	fsmonitor = /bin/x
	worktree = /
[include]
	path = y
[filter "f"]
	clean = x
`;
    const own = ownConfig(planted, "sha1").split("\n");
    expect(own).toEqual(expect.arrayContaining(["fileMode = false", "symlinks = true", "fsmonitor = false"]));
    // Else a file with its old size and time would pass for unchanged, if the user's git says so.
    expect(own).toEqual(expect.arrayContaining(["trustctime = true", "checkstat = default"]));
    expect(own.join("\n")).not.toMatch(/\bx\b|worktree|include|filter/);
  });

  test("the object format is the repository's", () => {
    expect(ownConfig("", "sha1")).not.toContain("[extensions]");
    expect(ownConfig("", "sha256")).toContain("repositoryformatversion = 1");
    expect(ownConfig("", "sha256")).toContain("[extensions]\nobjectformat = sha256\n");
  });
});
