import { describe, expect, test } from "bun:test";
import type { ChildRequest } from "../../../../src/os/child.ts";
import type { FileEntry, FileIdentity } from "../../../../src/os/files.ts";
import { nameBytes } from "../../../../src/os/names.ts";
import { makeStore, type Snapshot, takeSnapshot } from "../../../../src/supervisor/changes/snapshot.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const TREE = "1".repeat(40);
const REPOSITORY = { top: "/p", gitDir: "/p/.git", common: "/p/.git", format: "sha1", id: "1" } as const;

interface Fake {
  /** What git lists as changed or untracked. */
  readonly listed?: readonly string[];
  /** What git says about marked files. */
  readonly marked?: string;
  /** What else git prints, by its first argument. */
  readonly prints?: (command: string, args: readonly string[], stdin: string) => readonly Uint8Array[] | undefined;
  readonly entry?: (path: string) => FileEntry | undefined;
  readonly content?: Readonly<Record<string, string | null>>;
  readonly platform?: World["platform"];
  readonly deadline?: number;
  /** An index that is known to have no marks. */
  readonly known?: string | undefined;
}

/** Takes a snapshot of /p where git prints this. Says how git was run, and whether it was told to end. */
async function snapshotOf<T>(
  fake: Fake,
  use: (snapshot: Snapshot) => Promise<T>,
): Promise<{ result: T | string; runs: ChildRequest[]; isCut: boolean }> {
  const { listed = [], marked = "", platform = "linux", deadline = NOW + 1, known = "index-0" } = fake;
  const runs: ChildRequest[] = [];
  let isCut = false;
  const run: World["run"] = async (request) => {
    runs.push(request);
    const [command = "", ...args] = request.program.args;
    const usual = { "write-tree": `${TREE}\n`, "ls-files": args[0] === "-v" ? marked : listed.map(asEntry).join("") };
    const text = (usual as Record<string, string>)[command] ?? "";
    const output = fake.prints?.(command, args, String(request.stdin)) ?? [nameBytes(text) ?? Buffer.from(text)];
    isCut ||= output.some((chunk) => request.onLine?.(chunk));
    return { ending: isCut ? "stopped" : "exited", exitCode: 0, stderr: "" };
  };
  const program = platform === "win32" ? "C:\\bin\\git.exe" : "/bin/git";
  const { world, files } = fakeWorld({
    content: { [program]: "git", "/s/index-0": "", "/p/.git/index": "", ...fake.content },
    platform,
    run,
    now: () => new Date(NOW),
  });
  const { entry = files.entry } = fake;
  const own = { ...world, files: { ...files, entry } };
  const env = { PATH: platform === "win32" ? "C:\\bin" : "/bin" };
  const place = { repository: REPOSITORY, store: "/s", keptAs: undefined, ownFolder: "/home/ccc", env, deadline };
  const request = { ...place, known: "known" in fake ? undefined : known };
  const result = await takeSnapshot(own, request, use).catch((error: Error) => error.message);
  return { result, runs, isCut };
}

const asEntry = (path: string) => `${path}\0`;
const sha1 = (text: string) => new Bun.CryptoHasher("sha1").update(text).digest("hex");
const pathsIn = (stdin: unknown) =>
  String(stdin)
    .split("\0")
    .filter((line) => line !== "");

describe("a snapshot of the files", () => {
  async function commandsFor(listed: readonly string[]): Promise<string[]> {
    const content = { "/p/file": "1", "/p/large": "x".repeat(5_000_001) };
    const { result, runs } = await snapshotOf({ listed, content }, async ({ tree }) => tree);
    if (result !== TREE) throw new Error(result);
    return runs.map(({ program: { args }, stdin }) => {
      const paths = pathsIn(stdin).flatMap((line) => line.split("\t").at(-1) ?? []);
      return [args[0], ...args.slice(-1), ...paths].join(" ");
    });
  }

  describe("takes as few runs of git as possible", () => {
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

  test("can have 50,000 changed files, and no more", async () => {
    const paths = Array.from({ length: 50_000 }, (_, index) => `${index}`);
    expect(await commandsFor(paths)).toHaveLength(3);
    await expect(commandsFor([...paths, "one more"])).rejects.toThrow("too many files");
  });

  test("has files that the repository's index tells git to ignore, if they are there", async () => {
    const marked = "H plain\0h assumed one\0S skipped\0s both\0M unmerged\0H S\0h gone\0";
    const content = { "/p/assumed one": "", "/p/skipped": "", "/p/both": "" };
    const { runs } = await snapshotOf({ marked, content, known: undefined }, async () => {});
    const cleared = runs
      .filter(({ program }) => program.args[0] === "update-index")
      .map(({ program: { args }, stdin }) => [args[1], ...pathsIn(stdin)]);
    expect(cleared).toEqual([
      ["--no-assume-unchanged", "assumed one", "both"],
      ["--no-skip-worktree", "skipped", "both"],
    ]);
  });
});

describe("each changed path", () => {
  const LARGEST_FILE = 5_000_000;
  const MOST_BYTES = 64_000_000;
  const file = (size: number, isReadable = true): FileEntry => ({
    kind: "file",
    size,
    modified: 7,
    changed: 7,
    isReadable,
  });
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

  /** What git reads, what is removed, and for what there is only a hash of this text. */
  async function updates(listed: readonly string[], entry = (path: string) => ENTRIES[path]) {
    const content = { "/p/inner/.git": null, "/p/inner/.git/HEAD": "head", "/p/inner/.git/objects": null };
    const fake = { listed, content, entry: (path: string) => entry(path.replace("/p/", "")) };
    const { result, runs } = await snapshotOf(fake, async ({ bytes }) => bytes);
    const stdinOf = (option: string) =>
      runs.filter(({ program }) => program.args.at(-1) === option).flatMap(({ stdin }) => pathsIn(stdin));
    const info = stdinOf("--index-info").map((line) => /^(\d+) (\w+) 0\t(.*)$/s.exec(line) ?? []);
    return {
      read: stdinOf("--stdin"),
      removed: info.flatMap(([, mode, hash, path = ""]) => (mode === "0" && Number(hash) === 0 ? [path] : [])),
      standIns: info.flatMap(([, mode, hash = "", path = ""]) => (mode === "160000" ? [[path, hash]] : [])),
      bytes: result,
    };
  }

  const cases: [name: string, paths: string[], expected: Partial<Awaited<ReturnType<typeof updates>>>][] = [
    ["nothing", [], {}],
    ["a file is read, once", ["small", "small"], { read: ["small"], bytes: 3 }],
    ["a link is read, not what it leads to", ["link"], { read: ["link"] }],
    ["what is behind a link is not in the repository", ["link/a"], { removed: ["link/a"] }],
    ["a file that is gone", ["gone"], { removed: ["gone"] }],
    ["a file that is a folder now", ["folder", "folder/a"], { removed: ["folder"], read: ["folder/a"], bytes: 1 }],
    ["a large file", ["large"], { standIns: [["large", sha1(`file ${LARGEST_FILE + 1} 7`)]] }],
    ["a file that ccc may not read", ["locked"], { standIns: [["locked", sha1("file 3 7")]] }],
    ["a pipe", ["pipe"], { standIns: [["pipe", sha1("other 0 7")]] }],
    ["a repository inside", ["inner/"], { standIns: [["inner", sha1("head")]] }],
    ["a name that is not UTF-8", ["x\uDCFF"], { read: ["x\uDCFF"], bytes: 3 }],
    ["a repository inside that cannot be looked into", ["folder/"], { standIns: [["folder", sha1("folder 7")]] }],
  ];
  test.each(cases)("%s", async (_, paths, expected) =>
    expect(await updates(paths)).toEqual({ read: [], removed: [], standIns: [], bytes: 0, ...expected }),
  );

  test("is read only up to a limit for all of them", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `${index}`);
    const { read, standIns } = await updates(paths, () => file(LARGEST_FILE));
    expect([read.length, standIns.length]).toEqual([12, 8]);
    const filled = await updates(paths, () => file(MOST_BYTES / 16));
    expect([filled.read.length, filled.bytes]).toEqual([16, MOST_BYTES]);
  });
});

describe("git as ccc runs it", () => {
  const LONGEST = 32_000_000;
  /** What a command prints, read through the git of a snapshot. */
  const printed = (output: readonly Uint8Array[]) =>
    snapshotOf({ prints: (command) => (command === "diff-tree" ? output : undefined) }, ({ git }) =>
      git(["diff-tree"]),
    );

  test("may print 32 MB, all of which counts, and is ended when it prints more", async () => {
    const most = new Uint8Array(LONGEST - 1).fill(65);
    const { result, isCut } = await printed([most, Buffer.from("Z")]);
    expect([result.length, result.at(-1), isCut]).toEqual([LONGEST, "Z", false]);
    expect(await printed([most, new Uint8Array(2)])).toMatchObject({ result: "too many files", isCut: true });
  });

  test("is not started when there is no time left", async () => {
    const used = async ({ tree }: Snapshot) => tree;
    expect(await snapshotOf({ deadline: NOW }, used)).toMatchObject({ result: "too slow", runs: [] });
    expect((await snapshotOf({ deadline: NOW + 1 }, used)).runs[0]).toMatchObject({ timeoutMs: 1 });
  });

  test.each([
    ["linux", '"/s/objects":"/p/.git/objects"'],
    ["win32", '"/s/objects";"/p/.git/objects"'],
  ] as const)("finds the objects of the repository and of earlier prompts on %s", async (platform, folders) => {
    const { runs } = await snapshotOf({ platform }, async () => {});
    expect(runs[0]?.program.env).toMatchObject({ GIT_ALTERNATE_OBJECT_DIRECTORIES: folders });
  });
});

describe("texts that git has", () => {
  const idOf = (text: string) => sha1(`blob ${Buffer.byteLength(text)}\0${text}`);
  const blob = (text: string, id = idOf(text)) => `${id} blob ${Buffer.byteLength(text)}\n${text}\n`;

  /** Reads texts, where git prints this for them. */
  async function read(texts: readonly string[], output = texts.map((text) => blob(text)).join("")) {
    const headers = texts.map((text) => `${idOf(text)} blob ${Buffer.byteLength(text)}\n`).join("");
    const prints: Fake["prints"] = (command, [option]) =>
      command === "cat-file" ? [Buffer.from(option === "--batch-check" ? headers : output)] : undefined;
    const { result } = await snapshotOf({ prints }, (snapshot) => snapshot.read(texts.map(idOf), NOW + 1));
    return typeof result === "string" ? result : [...result.values()].map(String);
  }

  test.each([[["one\n"]], [["one\n", "", "ä\n\n文"]], [[]]])("%j are read", async (texts) =>
    expect(await read(texts)).toEqual(texts),
  );

  test("are left out if they are not what their id says, and the others are not", async () =>
    expect(await read(["a", "b"], blob("x", idOf("a")) + blob("b"))).toEqual(["b"]));

  test.each(["", "?", "?\n", `${idOf("b")} missing\n`, `${idOf("b")} tree 1\nb\n`])(
    "are not understood after %j",
    async (odd) => expect(await read(["a", "b", "c"], `${blob("a")}${odd}`)).toEqual(["a"]),
  );

  describe("are read up to a limit", () => {
    /** How many texts of these sizes git is asked for; undefined if it is not asked. */
    async function asked(sizes: readonly number[]): Promise<number | undefined> {
      let wanted: number | undefined;
      const prints: Fake["prints"] = (command, [option], stdin) => {
        if (command !== "cat-file") return undefined;
        if (option === "--batch-check")
          return [Buffer.from(sizes.map((size, index) => `${index} blob ${size}\n`).join(""))];
        wanted = stdin.split("\n").length - 1;
        return [];
      };
      await snapshotOf({ prints }, (snapshot) => snapshot.read(["1"], NOW + 1));
      return wanted;
    }
    const MB = 1_000_000;

    test("a text of at most 1 MB", async () => expect(await asked([MB, MB + 1])).toBe(1));
    test("20 MB together", async () => expect(await asked([...Array(20).fill(MB), 1])).toBe(20));
    test("git is not started for nothing", async () => expect(await asked([])).toBeUndefined());
  });
});

describe("ccc's own git folder", () => {
  function configOf(repositoryConfig: string, format: "sha1" | "sha256" = "sha1", found: Partial<FileIdentity> = {}) {
    const files = memoryFiles({ "/p/.git/config": repositoryConfig });
    const identify = (path: string) => {
      const identity = files.identify(path);
      return identity && { ...identity, ...found };
    };
    makeStore({ ...files, identify }, "/s", { ...REPOSITORY, format });
    return files.content["/s/config"] ?? "";
  }

  test("takes over only facts about the disk from the repository's configuration", () => {
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
    const own = configOf(planted).split("\n");
    expect(own).toEqual(expect.arrayContaining(["fileMode = false", "symlinks = true", "fsmonitor = false"]));
    // Else a file with its old size and time would pass for unchanged, if the user's git says so.
    expect(own).toEqual(expect.arrayContaining(["trustctime = true", "checkstat = default"]));
    expect(own.join("\n")).not.toMatch(/\bx\b|worktree|include|filter/);
  });

  test("has the repository's object format", () => {
    expect(configOf("")).not.toContain("[extensions]");
    expect(configOf("", "sha256")).toContain("repositoryformatversion = 1");
    expect(configOf("", "sha256")).toContain("[extensions]\nobjectformat = sha256\n");
  });

  const LARGEST = 1_000_000;
  const table: [name: string, found: Partial<FileIdentity>, isRead: boolean][] = [
    ["a configuration is read", { size: 7 }, true],
    ["one as large as can be", { size: LARGEST }, true],
    ["a larger one is not", { size: LARGEST + 1 }, false],
    ["nor a pipe, which would not end", { isFile: false, size: 0 }, false],
  ];
  test.each(table)("%s", (_, found, isRead) =>
    expect(configOf("[core]\nsymlinks = true\n", "sha1", found).includes("symlinks = true")).toBe(isRead),
  );
});
