/** What ccc asks the claude program itself: its help, and whether it loads settings. */
import * as v from "valibot";
import { asObject, parseJson } from "../text/json.ts";
import { lazySchema } from "../text/schema.ts";
import { printable } from "../text/shown.ts";

function helpOptionSchema() {
  return v.object({
    /** The name to offer first, then the others. */
    names: v.array(v.string()),
    description: v.string(),
    /** How many of the next words are its values. */
    takes: v.picklist(["none", "optional", "one", "many"]),
    /** The values that are possible, if the page lists them. */
    choices: v.array(v.string()),
  });
}

function helpCommandSchema() {
  return v.object({ names: v.array(v.string()), description: v.string() });
}

/** What `claude --help` lists, or the help of one of its subcommands. */
export const HelpPageSchema = lazySchema(() =>
  v.object({
    options: v.array(helpOptionSchema()),
    commands: v.array(helpCommandSchema()),
  }),
);

export type HelpPage = v.InferOutput<typeof HelpPageSchema>;
export type HelpOption = v.InferOutput<ReturnType<typeof helpOptionSchema>>;

/** Reads a help page. What cannot be understood is left out. */
export function parseHelpPage(text: string): HelpPage {
  const sections = new Map(text.split(/\n(?=\S)/).map((section) => [section.split("\n", 1)[0]?.trim(), section]));
  return {
    options: entries(sections.get("Options:")).flatMap(readOption),
    commands: entries(sections.get("Commands:")).flatMap(readCommand),
  };
}

interface Entry {
  readonly term: string;
  readonly description: string;
}

/** A term is indented by two spaces; its description follows on the line, or on the next ones. */
function entries(section = ""): Entry[] {
  return section.split(/\n {2}(?=\S)/).flatMap((lines) => {
    const [, term = "", rest = ""] = /^(\S.*?)(?: {2,}|\n|$)(.*)$/s.exec(lines) ?? [];
    return [{ term, description: printable(rest).replace(/\s+/g, " ").trim() }];
  });
}

/** "-d, --debug [filter]", "--allowedTools, --allowed-tools <tools...>" */
function readOption({ term, description }: Entry): HelpOption[] {
  const [, flags = "", value = ""] = /^((?:-{1,2}[\w-]+(?:, )?)+)(?: ([<[].+[>\]]))?$/.exec(term) ?? [];
  const names = flags.split(", ").filter(Boolean);
  if (names.length === 0) return [];
  // Long names say more.
  const isLong = (name: string) => name.startsWith("--");
  const sorted = [...names.filter(isLong), ...names.filter((name) => !isLong(name))];
  const takes = value === "" ? "none" : value.includes("...") ? "many" : value.startsWith("[") ? "optional" : "one";
  return [{ names: sorted, description, takes, choices: takes === "none" ? [] : listedChoices(description) }];
}

/** (choices: "text", "json", default: "text"), or all the words in parentheses at the end: (low, medium, high) */
function listedChoices(description: string): string[] {
  const [, listed = ""] = /\(choices: (.*?)(?:\)|, (?:default|preset): )/.exec(description) ?? [];
  const [, words = ""] = /\(([a-z]+(?:, [a-z]+){2,})\)\.?$/.exec(description) ?? [];
  const found = listed === "" ? words.split(", ") : [...listed.matchAll(/"([^"]*)"/g)].map(([, choice = ""]) => choice);
  return found.filter((choice) => WORD.test(choice));
}

/** "mcp", "plugin|plugins", "add [options] <name>" */
function readCommand({ term, description }: Entry): HelpPage["commands"] {
  const names = (term.split(" ", 1)[0] ?? "").split("|").filter((name) => WORD.test(name));
  return names.length === 0 ? [] : [{ names, description }];
}

const WORD = /^[A-Za-z0-9][\w.-]*$/;

/** Arguments for a report on how these settings alone would authenticate claude, without a request. */
export function statusArguments(settings: string): string[] {
  return ["--setting-sources", "", "--settings", settings, "auth", "status", "--json"];
}

/** Whether that report says that settings with a key helper were loaded; undefined if it is no report. */
export function isHelperLoaded(answer: string): boolean | undefined {
  const { authMethod, apiKeySource } = asObject(parseJson(answer));
  return authMethod === undefined ? undefined : apiKeySource === "apiKeyHelper";
}

/** Arguments that make claude complain about settings that it does not load. */
export function complaintArguments(settings: string): string[] {
  return ["--setting-sources", "", "--settings", settings, "-p", "hi"];
}

/** After the complaint comes a request: it goes to a port where nothing listens. */
export const NOWHERE = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_AUTH_TOKEN: "none",
  CLAUDE_CODE_MAX_RETRIES: "0",
};

/** The complaint about a settings file: "  /path/settings.json (permissions.allow): Expected array". */
export function complaintAbout(settings: string, stderr: string): string | undefined {
  const line = stderr.split("\n").find((each) => each.trim().startsWith(settings));
  return line?.trim().slice(settings.length).trim();
}
