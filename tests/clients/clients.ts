import { join } from "node:path";
import { newScreen } from "../screen.ts";
import { type Claude, type Client, NOTHING_SEEN, type Seen } from "./claudes.ts";
import { type Rpc, startRpc } from "./rpc.ts";
import { SDK_CONVERSATIONS } from "./sdk.ts";

/** The programs that drive claude, or read what it leaves, by the names in docs/clients.md. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  "Claude Agent SDK 0.3.325": {
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.325", zod: "4.1.13" },
    conversations: SDK_CONVERSATIONS,
  },
  "Claude Agent SDK 0.2.44": {
    packages: { "@anthropic-ai/claude-agent-sdk": "0.2.44", zod: "4.1.13" },
    conversations: SDK_CONVERSATIONS,
  },
  "claude-agent-acp 0.100.0": acp("@agentclientprotocol/claude-agent-acp", "0.100.0"),
  "claude-code-acp 0.16.2 (Zed)": acp("@zed-industries/claude-code-acp", "0.16.2"),
  "happy 1.2.5": {
    packages: { happy: "1.2.5" },
    conversations: {
      "its launcher": (claude, folder) => {
        const launcher = join(folder, "node_modules/happy/scripts/claude_local_launcher.cjs");
        return oneAnswer(claude, ["node", launcher], { HAPPY_CLAUDE_PATH: claude.program });
      },
    },
  },
  "claude-code-mcp 1.10.12": {
    packages: { "@steipete/claude-code-mcp": "1.10.12" },
    conversations: { "its tool": (claude, folder) => mcpTool(claude, folder) },
  },
  "ccusage 20.0.24": {
    packages: { ccusage: "20.0.24" },
    isWhole: true,
    conversations: { "its totals": (claude, folder) => totals(claude, folder) },
  },
  "ccstatusline 2.2.30": {
    packages: { ccstatusline: "2.2.30" },
    conversations: { "its line": (claude, folder) => statusLine(claude, folder) },
  },
};

/** An adapter of claude to the Agent Client Protocol, which editors speak. */
function acp(name: string, version: string): Client {
  const adapter = (prompt: string, calls: string[] = [], onPrompt: OnPrompt = () => {}) => {
    return async ({ place, program, env, waits }: Claude, folder: string): Promise<Seen> => {
      const messages: string[] = [];
      const answers = {
        "session/request_permission": ({ toolCall, options }: Permission) => {
          calls.push(`asked about ${toolCall.title}`);
          return {
            outcome: { outcome: "selected", optionId: options.find(({ kind }) => kind === "allow_once")?.optionId },
          };
        },
      };
      const told = ({ update }: Update) => {
        if (update.sessionUpdate === "agent_message_chunk") messages.push(update.content?.text ?? "");
        if (update.sessionUpdate.startsWith("tool_call")) messages.push(`${update.sessionUpdate} ${update.status}`);
      };
      await using rpc = startRpc(["node", join(folder, "node_modules", name, "dist/index.js")], {
        cwd: place.project,
        env: { ...env, CLAUDE_CODE_EXECUTABLE: program },
        answers,
        told: { "session/update": told },
      });
      await rpc.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await rpc.ask("session/new", { cwd: place.project, mcpServers: [] });
      onPrompt(rpc, sessionId, waits);
      const ended = await rpc.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
      return { ...NOTHING_SEEN, messages, results: [ended.stopReason], calls: [...calls] };
    };
  };
  return {
    packages: { [name]: version },
    conversations: {
      "a prompt": adapter("say it"),
      "a permission": (claude, folder) => adapter("RUN", [])(claude, folder),
      "a cancelled prompt": adapter("WAIT", [], (rpc, sessionId, waits) =>
        waits.then(() => rpc.tell("session/cancel", { sessionId })),
      ),
    },
  };
}

type OnPrompt = (rpc: Rpc, sessionId: string, waits: Promise<void>) => unknown;

interface Permission {
  readonly toolCall: { readonly title: string };
  readonly options: readonly { readonly kind: string; readonly optionId: string }[];
}

interface Update {
  readonly update: {
    readonly sessionUpdate: string;
    readonly status?: string;
    readonly content?: { readonly text?: string };
  };
}

/** What a program that passes its arguments on to claude prints, and how it ends. */
async function oneAnswer(
  { place, env }: Claude,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Seen> {
  const child = Bun.spawn([...command, "-p", "say it", "--output-format", "json"], {
    cwd: place.project,
    env: { ...env, ...more },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const { result, is_error, num_turns, usage } = JSON.parse(await child.stdout.text());
  return { ...NOTHING_SEEN, results: [result, is_error, num_turns, usage.input_tokens, await child.exited] };
}

async function mcpTool({ place, program, env }: Claude, folder: string): Promise<Seen> {
  const server = join(folder, "node_modules/@steipete/claude-code-mcp/dist/server.js");
  // It skips permissions, which Claude Code refuses to root elsewhere.
  const own = { CLAUDE_CLI_NAME: program, IS_SANDBOX: "1" };
  await using rpc = startRpc(["node", server], { cwd: place.project, env: { ...env, ...own } });
  const clientInfo = { name: "test", version: "1.0.0" };
  await rpc.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  rpc.tell("notifications/initialized", {});
  const input = { prompt: "RUN", workFolder: place.project };
  const { content } = await rpc.ask("tools/call", { name: "claude_code", arguments: input });
  return { ...NOTHING_SEEN, results: [content] };
}

/** What ccusage makes of the transcripts of a conversation. */
async function totals(claude: Claude, folder: string): Promise<Seen> {
  const answered = await oneAnswer(claude, [claude.program]);
  const ccusage = join(folder, "node_modules/ccusage/src/cli.js");
  const child = Bun.spawn(["node", ccusage, "claude", "daily", "--json", "--offline"], {
    cwd: claude.place.project,
    env: claude.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`ccusage failed: ${stderr}`);
  return { ...answered, results: [...answered.results, JSON.parse(stdout).totals] };
}

/** The user's own status line, in a terminal. */
async function statusLine({ how, place, program, env }: Claude, folder: string): Promise<Seen> {
  const command = `node ${join(folder, "node_modules/ccstatusline/dist/ccstatusline.js")}`;
  await place.write(place.at(".claude/settings.json"), { statusLine: { type: "command", command } });
  await using screen = newScreen([program], { cwd: place.project, env });
  await screen.shows("Model: ");
  await screen.submit("say it");
  await screen.shows("● hello");
  await screen.shows(how === "supervised" ? "Review 1 of 10: done" : /Ctx: [1-9]/);
  return {
    ...NOTHING_SEEN,
    results: [
      screen
        .text()
        .split("\n")
        .find((line) => line.includes("Model: "))
        ?.trim(),
    ],
  };
}
