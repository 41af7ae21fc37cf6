import { homedir } from "../claude/claude-paths.ts";
import { cccPaths } from "../config/ccc-paths.ts";
import { CccError, messageOf } from "../errors.ts";
import { absolutePath } from "../os/path.ts";
import { redact, secretsIn } from "../text/redact.ts";
import type { World } from "../world.ts";
import { shownCommand } from "./shown-command.ts";

export type Readable = Pick<World, "env" | "files" | "platform">;

/** Resolves a reference to a key. */
export async function resolveKey(reference: string, field: string, world: World): Promise<string> {
  const key = await resolveReference(reference, field, world);
  if (!/[\s\p{C}]/u.test(key)) return key;
  // Claude Code would send an empty key instead.
  throw new CccError(
    `${field}: ${reference.split(":")[0]}: does not yield a key: it contains spaces or control characters`,
  );
}

/** Resolves a reference to any secret. */
export async function resolveReference(reference: string, field: string, world: World): Promise<string> {
  const [kind, rest] = split(reference);
  const fail = (problem: string, advice?: string): CccError =>
    new CccError(`${field}: ${problem}`, advice === undefined ? {} : { advice });
  if (rest === "") throw fail(`nothing follows "${kind}:"`);
  const found = await find(kind, rest, world, fail);
  const key = firstLine(found);
  if (key === "") throw fail(`${EMPTY[kind] ?? "it"} is empty`);
  return key;
}

/** Resolves env: and file: references; undefined for those that need a program or a keychain. */
export function peekReference(reference: string, world: Readable): string | undefined {
  const [kind, rest] = split(reference);
  const fail: Fail = (problem) => new CccError(problem);
  const found = kind === "env" ? world.env[rest] : kind === "file" ? readKey(rest, world, fail) : undefined;
  return found === undefined ? undefined : firstLine(found);
}

type Fail = (problem: string, advice?: string) => CccError;

function split(reference: string): [kind: string, rest: string] {
  const at = reference.indexOf(":");
  return [reference.slice(0, at), reference.slice(at + 1).trim()];
}

/** Password managers print the password first, and notes below it. */
function firstLine(text: string): string {
  return (text.split(/\r?\n/)[0] ?? "").trim();
}

const EMPTY: Readonly<Record<string, string>> = {
  env: "the variable",
  file: "the first line of the file",
  cmd: "what the command printed",
  keychain: "the entry in the keychain",
};

async function find(kind: string, rest: string, world: World, fail: Fail): Promise<string> {
  if (kind === "env") {
    const value = world.env[rest];
    if (value === undefined) throw fail(`${rest} is not set in the environment`, `Set it first: export ${rest}=…`);
    return value;
  }
  if (kind === "file") return readKey(rest, world, fail);
  if (kind === "cmd") return askCommand(rest, world, fail);
  return askKeychain(rest, world, fail);
}

function readKey(path: string, world: Readable, fail: Fail): string {
  // Relative paths start from the folder of ccc.json, never from the current folder.
  const file = absolutePath(path, cccPaths(world).folder, () => homedir(world.env, world.platform));
  if ((world.files.identify(file)?.size ?? 0) > LONGEST_KEY) throw fail(`${file} is too long to be a key`);
  const text = world.files.read(file);
  if (text === undefined) throw fail(`no such file: ${file}`, "Write the key into its first line.");
  return text;
}

/** Long enough to type a passphrase or touch a security key. */
const PATIENCE_MS = 60_000;
const LONGEST_KEY = 100_000;

async function askCommand(command: string, world: World, fail: Fail): Promise<string> {
  const isWindows = world.platform === "win32";
  const program = isWindows
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", command] };
  let printed = "";
  const result = await world.run({
    program: { ...program, env: world.env },
    // The current folder must not influence what runs.
    cwd: cccPaths(world).folder,
    stdin: "",
    timeoutMs: PATIENCE_MS,
    onLine: (line) => {
      printed += `${new TextDecoder().decode(line)}\n`;
      return printed.length > LONGEST_KEY;
    },
  });
  const shown = `\`${shownCommand(command)}\``;
  if (result.ending === "timeout") throw fail(`${shown} did not finish within ${PATIENCE_MS / 1000} seconds`);
  if (result.ending === "interrupted") throw fail("interrupted");
  if (result.ending === "stopped") throw fail(`${shown} prints too much for a key`);
  if (result.exitCode !== 0) {
    const secrets = [...secretsIn(world.env), firstLine(printed), ...hiddenIn(command)];
    const said = redact(result.stderr.split("\n").at(-1) ?? "", secrets);
    throw fail(
      `${shown} ${result.exitCode === null ? "was killed by a signal" : `ended with exit code ${result.exitCode}`}${said === "" ? "" : `: ${said}`}`,
      "Run it yourself to see why. Its first line of output must be the key.",
    );
  }
  return printed;
}

/** Words that are masked in the command must be masked in its error output, too. */
function hiddenIn(command: string): string[] {
  const shown = shownCommand(command);
  return command.split(/[\s"'=;|&()<>]+/).filter((word) => !shown.includes(word));
}

async function askKeychain(name: string, world: World, fail: Fail): Promise<string> {
  const advice = "Store the key in ccc.json instead: ccc provider set-key NAME --store file";
  let found: string | null;
  try {
    found = await world.keychain.get(name);
  } catch (error) {
    throw fail(`no usable keychain on this system (${messageOf(error)})`, advice);
  }
  if (found === null) {
    throw fail(`the keychain has no entry "${name}" of ccc`, "Store the key there: ccc provider set-key NAME");
  }
  return found;
}
