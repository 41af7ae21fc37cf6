import { readStatusEvent } from "../../claude/status-event.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { type LibcFiles, readWhole } from "../../os/libc-files.ts";
import { isAlive } from "../../os/process.ts";
import { isPinned, readProvidersUsage, readStatusRecord } from "./read-status-record.ts";
import { shownSupervision } from "./shown-supervision.ts";
import { shownUsage } from "./shown-usage.ts";
import { statusLine } from "./status-line.ts";

type Host = Pick<NodeJS.Process, "argv" | "env" | "platform">;

/** The status line of the session on stdin; undefined if the user asks for help. */
export async function sessionStatusLine(host: Host, libc: LibcFiles | undefined): Promise<string | undefined> {
  const args = host.argv.slice(3);
  if (args.includes("--help") || args.includes("-h") || isTerminal(libc)) return undefined;
  try {
    return lineFor(host, args, await stdin(libc));
  } catch {
    // An empty line is better than an error message in its place, every few seconds.
    return "";
  }
}

function lineFor({ env, platform }: Host, args: readonly string[], stdin: string): string {
  const event = readStatusEvent(stdin);
  const folder = optionIn(args, "--config-dir");
  const paths = cccPaths({ env: folder === undefined ? env : { ...env, CCC_CONFIG_DIR: folder }, platform });
  const launched = { provider: optionIn(args, "--provider"), isSupervised: launchedAs(args), claude: env.CLAUDE_PID };
  const record = readStatusRecord(paths, event.session, launched);
  const now = Date.now();
  return statusLine({
    provider: record.provider,
    isPinned: isPinned(paths, { folder: event.folder, provider: record.provider }, platform),
    model: event.model,
    contextUsed: event.contextUsed,
    usage: shownUsage(readProvidersUsage(paths, record.provider), now),
    supervision: shownSupervision(record, { now, isAlive }),
    columns: Number(env.COLUMNS) || undefined,
    hasColor: !env.NO_COLOR,
  });
}

/** Whether the session was launched with supervision; undefined if that is not said. */
function launchedAs(args: readonly string[]): boolean | undefined {
  return args.includes("--supervisor") ? true : args.includes("--no-supervisor") ? false : undefined;
}

function optionIn(args: readonly string[], name: string): string | undefined {
  const inline = args.find((word) => word.startsWith(`${name}=`));
  const at = args.indexOf(name);
  return inline?.slice(name.length + 1) || (at === -1 ? undefined : args[at + 1]) || undefined;
}

function isTerminal(libc: LibcFiles | undefined): boolean {
  if (libc !== undefined) return libc.isTerminal();
  const tty: typeof import("node:tty") = require("node:tty");
  return tty.isatty(0);
}

function stdin(libc: LibcFiles | undefined): Promise<string> {
  return libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, () => Bun.stdin.bytes());
}
