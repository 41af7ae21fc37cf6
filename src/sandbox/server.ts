import { answer } from "./messages.ts";
import {
  isAfterVerdict,
  type MessagesRequest,
  type Received,
  type Role,
  roleOf,
  type Script,
  spoken,
} from "./turns.ts";

/** A scripted Messages API on 127.0.0.1: Claude Code runs against it without key, network or cost. */
export interface Sandbox {
  readonly url: string;
  /** The requests for the model, in order. */
  readonly received: readonly Received[];
  /** The headers of every request, also those not for the model. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly stop: () => Promise<void>;
}

export function startSandbox(script: Script): Sandbox {
  const received: Received[] = [];
  const allHeaders: Record<string, string>[] = [];
  const seen: Record<Role, number> = { agent: 0, reviewer: 0, helper: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      allHeaders.push(headers);
      if (pathname.endsWith("/count_tokens")) return Response.json({ input_tokens: 10 });
      if (request.method !== "POST" || !pathname.endsWith("/v1/messages")) return new Response(null, { status: 404 });
      const body = (await request.json()) as MessagesRequest;
      const role = roleOf(body);
      if (role === "reviewer" && isAfterVerdict(body)) return answer({ say: "ok" }, body.model, body.stream === true);
      const entry = { role, path: pathname + search, headers, body };
      received.push(entry);
      const turn = spoken(script(entry, seen[role]++), body);
      await turn.after;
      if (turn.delayMs !== undefined) await Bun.sleep(turn.delayMs);
      return answer(turn, body.model, body.stream === true);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, received, headers: allHeaders, stop: () => server.stop(true) };
}
