import type { ChildRequest } from "../../src/os/child.ts";
import type { Files } from "../../src/os/files.ts";
import type { GuardedFiles } from "../../src/os/locks.ts";
import type { Keychain } from "../../src/os/stores.ts";
import type { Program, World } from "../../src/world.ts";

/** What a program is told on stdin, as it comes. A reviewer gets messages, one after another. */
export async function* messagesOn(stdin: ChildRequest["stdin"]): AsyncGenerator<string, undefined> {
  if (typeof stdin === "string") yield stdin;
  else if ("isTerminal" in stdin) yield stdin.input ?? "";
  else for await (const line of stdin) yield JSON.parse(line).message.content;
  return undefined;
}

/** A request to run a reviewer, with its first message. */
export async function withMessage(request: ChildRequest): Promise<ChildRequest> {
  if (!(request.stdin instanceof ReadableStream)) return request;
  return { ...request, stdin: (await messagesOn(request.stdin).next()).value ?? "" };
}

/** Files in memory. null stands for a folder. */
export function memoryFiles(
  content: Record<string, string | null> = {},
): Files & { content: Record<string, string | null> } {
  const read = (path: string) => (Object.hasOwn(content, path) ? (content[path] ?? undefined) : undefined);
  const add = (path: string, text: string) => {
    content[path] = (content[path] ?? "") + text;
  };
  const makeFolder = (path: string) => !Object.keys(content).some((each) => each.startsWith(`${path}/`));
  const replace = (path: string, text: string) => {
    content[path] = text;
  };
  const edit: Files["edit"] = (path, change) => {
    const after = change(read(path));
    if (after !== undefined) content[path] = after;
  };
  const exists = (path: string) => Object.keys(content).some((each) => each === path || each.startsWith(`${path}/`));
  const guarded: GuardedFiles = {
    read: (path, longest) => read(path)?.slice(0, longest),
    makeFolder,
    replace,
    edit,
    append: add,
    openAppend: (path) => ({
      write: (bytes) => add(path, new TextDecoder().decode(bytes)),
      size: () => (content[path] ?? "").length,
      close: () => {},
    }),
    removeOld: () => 0,
  };
  return {
    content,
    read,
    readStart: (path, longest) => (read(path) ?? "").slice(0, longest),
    readEnd: (path, longest) => (read(path) ?? "").slice(-longest),
    list: (folder) => {
      const start = folder.replace(/\/?$/, "/");
      const below = Object.keys(content).filter((path) => path.startsWith(start));
      return [...new Set(below.map((path) => path.slice(start.length).replace(/\/.*/s, "")))].sort();
    },
    identify: (path) =>
      Object.hasOwn(content, path)
        ? {
            id: path,
            isFile: content[path] !== null,
            isFolder: content[path] === null,
            isExecutable: true,
            mode: 0o600,
            size: (content[path] ?? "").length,
          }
        : undefined,
    entry: (path) =>
      Object.hasOwn(content, path)
        ? {
            kind: content[path] === null ? "folder" : "file",
            size: (content[path] ?? "").length,
            modified: 0,
            changed: 0,
            isReadable: true,
          }
        : undefined,
    programSize: (path) => content[path]?.length,
    modified: (path) => (exists(path) ? 0 : undefined),
    exists,
    modifiedWithin: exists,
    realPath: (path) => path,
    canWrite: () => true,
    writePrivate: (path, text) => {
      content[path] = text;
    },
    makeFolder,
    refuseWrite: () => {},
    makePrivate: () => {},
    removeStaleLock: (path) => {
      delete content[path];
    },
    touch: () => {},
    remove: (path) => {
      delete content[path];
    },
    move: (from, to) => {
      content[to] = content[from] ?? null;
      delete content[from];
    },
    removeOld: () => {},
    create: (path, text) => {
      content[path] = text;
    },
    wrapProgram: (path, program, args) => {
      content[path] = `starts ${[program, ...args].join(" ")}`;
    },
    edit,
    hold: (path, action) => {
      const text = read(path);
      return action({
        path,
        found: text === undefined ? undefined : { text, mode: 0o644 },
        write: (after) => {
          content[path] = after;
        },
        remove: () => {
          delete content[path];
        },
      });
    },
    append: add,
    removeOldFolders: () => {},
    removeFolder: (path) => {
      for (const each of Object.keys(content)) if (each.startsWith(`${path}/`)) delete content[each];
    },
    copy: (from, to) => {
      const text = read(from);
      if (text !== undefined) content[to] = text;
      return text !== undefined;
    },
    guarded: () => guarded,
    fill: () => {
      throw new Error("files in memory cannot be copied");
    },
  };
}

export function memoryKeychain(content: Record<string, string> = {}): Keychain & { content: Record<string, string> } {
  return {
    content,
    get: async (name) => content[name] ?? null,
    set: async (name, value) => {
      content[name] = value;
    },
    remove: async (name) => {
      delete content[name];
    },
  };
}

const unasked = () => Promise.reject(new Error("a unit test cannot be asked"));

/** A world in memory that records output and executed programs. */
export function fakeWorld(parts: Partial<World> & { content?: Record<string, string | null> } = {}) {
  const said = { stdout: "", stderr: "" };
  const ran: Program[] = [];
  const files = memoryFiles({ "/bin/claude": "claude", "/self/ccc": "this is ccc", ...parts.content });
  const world: World = {
    argv: [],
    env: { HOME: "/home/u", PATH: "/bin" },
    inherited() {
      return { ...this.env };
    },
    cwd: "/project",
    platform: "linux",
    pid: 42,
    version: "0.0.0",
    build: () => ({ commit: "0123456789abcdef0123456789abcdef01234567", arch: "x64", libc: "glibc", bun: "1.4.4" }),
    self: "/self/ccc",
    name: "ccc",
    files,
    queryDatabase: () => {
      throw new Error("a unit test has no database");
    },
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    exec: async (program) => {
      ran.push(program);
      return 0;
    },
    handOver: async (program) => {
      ran.push(program);
      return { exitCode: 0, signal: null, isInterrupted: false };
    },
    run: async () => ({ exitCode: 0, ending: "exited", stderr: "" }),
    stdin: () => "",
    stdinWriter: () => null,
    keychain: memoryKeychain(),
    ask: { choose: unasked, text: unasked, secret: unasked, confirm: unasked },
    fetch: async () => {
      throw new Error("a unit test has no network");
    },
    now: () => new Date(0),
    newId: () => crypto.randomUUID(),
    pause: async (_, other) => {
      await other;
    },
    scratch: () => ({ path: "/scratch", remove: () => {} }),
    isAlive: () => true,
    isTerminal: () => false,
    columns: () => 80,
    typing: () => ({ take: () => [], next: async () => undefined, stop: () => "" }),
    keyboard: () => ({ signal: () => {}, close: () => {} }),
    onSignal: () => () => {},
    ...parts,
  };
  return { world, said, ran, files };
}
