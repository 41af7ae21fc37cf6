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
