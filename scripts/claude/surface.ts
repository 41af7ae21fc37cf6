import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { getClaude, programFile } from "./get-claude.ts";

/** The parts of Claude Code that ccc relies on, as lists that can be compared. */
export interface Surface {
  readonly version: string;
  readonly options: readonly string[];
  readonly commands: readonly string[];
  readonly hookEvents: readonly string[];
  readonly settings: readonly string[];
  readonly variables: readonly string[];
  /** Of the first request for a model. */
  readonly tools: readonly string[];
  readonly betas: readonly string[];
  readonly fields: readonly string[];
}

/** Gets a version of Claude Code and looks at its help, its text and its first request to a model on this machine. */
export async function readSurface(version: string): Promise<Surface> {
  const claude = await getClaude(version);
  const home = await mkdtemp(join(tmpdir(), "claude-surface-"));
  const sandbox = startSandbox(() => ({ say: "ok" }));
  try {
    const env = {
      HOME: home,
      PATH: process.env.PATH,
      COLUMNS: "400",
      ANTHROPIC_BASE_URL: sandbox.url,
      ANTHROPIC_AUTH_TOKEN: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    };
    const run = (args: readonly string[]) =>
      Bun.$`${claude} ${args} < /dev/null`.cwd(home).env(env).quiet().nothrow().text();
    const help = await run(["--help"]);
    await run(["-p", "hi"]);
    const first = sandbox.received.find(({ role }) => role === "agent");
    const program = Buffer.from(await Bun.file(programFile(version)).arrayBuffer()).toString("latin1");
    return {
      version,
      options: helpOptions(help),
      commands: helpCommands(help),
      hookEvents: hookEventsIn(program),
      settings: settingsIn(program),
      variables: variablesIn(program),
      tools: (first?.body.tools ?? []).map(({ name }) => name).sort(),
      betas: (first?.headers["anthropic-beta"] ?? "").split(",").filter(Boolean).sort(),
      fields: Object.keys(first?.body ?? {}).sort(),
    };
  } finally {
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  }
}

const PARTS: readonly [part: Exclude<keyof Surface, "version">, title: string][] = [
  ["options", "Options in `--help`"],
  ["commands", "Commands in `--help`"],
  ["hookEvents", "Hook events"],
  ["settings", "Settings"],
  ["variables", "Environment variables"],
  ["tools", "Tools in the first request"],
  ["betas", "Betas in the first request"],
  ["fields", "Fields of the first request"],
];

/** What changed from one version to another, in Markdown. Says which parts could not be read. */
export function compareSurfaces(before: Surface, after: Surface): string {
  const parts = PARTS.map(([part, title]) => section(title, before[part], after[part]));
  const same = parts.filter(({ isSame }) => isSame).map(({ title }) => title);
  return [
    `# Claude Code ${before.version} → ${after.version}`,
    ...parts.filter(({ isSame }) => !isSame).map(({ text }) => text),
    ...(same.length === 0 ? [] : [`Unchanged: ${same.join(", ")}.`]),
    "",
  ].join("\n\n");
}

function section(title: string, before: readonly string[], after: readonly string[]) {
  const gone = before.filter((each) => !after.includes(each)).map((each) => `- removed: ${code(each)}`);
  const added = after.filter((each) => !before.includes(each)).map((each) => `- added: ${code(each)}`);
  const unread = before.length === 0 || after.length === 0;
  const lines = unread
    ? [`- not found in ${before.length === 0 ? "the old" : "the new"} version`]
    : [...gone, ...added];
  const counts = `(${before.length} → ${after.length})`;
  return {
    title: `${title} ${counts}`,
    isSame: lines.length === 0,
    text: `## ${title} ${counts}\n\n${lines.join("\n")}`,
  };
}

/** Names come from somebody else's program: none may end its code span. */
function code(name: string): string {
  return `\`${name.replaceAll("`", "'")}\``;
}

/** "  -p, --print   Print response and exit" → "-p, --print" */
export function helpOptions(help: string): string[] {
  return sorted([...help.matchAll(/^ {2}(-\S.*?)(?: {2,}|$)/gm)].map(([, option = ""]) => option));
}

/** "  mcp   Configure MCP servers", after "Commands:" → "mcp" */
export function helpCommands(help: string): string[] {
  const [, commands = ""] = /^Commands:$([\s\S]*)/m.exec(help) ?? [];
  return sorted([...commands.matchAll(/^ {2}([a-z][\w|-]*)/gm)].map(([, command = ""]) => command));
}

/** The longest list of hook events in the program's text. */
export function hookEventsIn(program: string): string[] {
  const lists = [...program.matchAll(/\["PreToolUse"(?:,"[A-Za-z]+")*\]/g)].map(
    ([list]) => JSON.parse(list) as string[],
  );
  return sorted(lists.toSorted((one, other) => other.length - one.length)[0] ?? []);
}

export function variablesIn(program: string): string[] {
  return sorted(
    [...program.matchAll(/(?<=[."'`])(?:CLAUDE_CODE|ANTHROPIC)_[A-Z0-9_]*[A-Z0-9](?![\w$])/g)].map(([name]) => name),
  );
}

const SCHEMA = '.describe("JSON Schema reference for Claude Code settings")';

/** The fields of the settings schema in the program's text, with the fields of objects in them: "statusLine.command". */
export function settingsIn(program: string): string[] {
  const starts = [...program.matchAll(/\.describe\("JSON Schema reference for Claude Code settings"\),/g)];
  const lists = starts.map(({ index }) => fieldsFrom(program, index + SCHEMA.length));
  return sorted(lists.toSorted((one, other) => other.length - one.length)[0] ?? []);
}

/** Reads JavaScript from a comma in an object to the end of that object. */
function fieldsFrom(text: string, start: number): string[] {
  const found: string[] = [];
  // What is open at this point, each with the field that it is in.
  const open: { readonly bracket: string; readonly path: string }[] = [];
  let path = "";
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
    if ("\"'`".includes(char)) at = endOfString(text, at);
    else if ("({[".includes(char)) open.push({ bracket: char, path });
    else if (")}]".includes(char)) {
      const opened = open.pop();
      if (opened === undefined) return found;
      path = opened.path;
    }
    const inObject = open.length === 0 ? "" : open.at(-1)?.bracket === "{" ? open.at(-1)?.path : undefined;
    if (inObject === undefined || !"{,".includes(char)) continue;
    const [, name] = /^(\w+):/.exec(text.slice(at + 1, at + 80)) ?? [];
    if (name === undefined) continue;
    path = inObject === "" ? name : `${inObject}.${name}`;
    found.push(path);
  }
  return found;
}

function endOfString(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at;
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
