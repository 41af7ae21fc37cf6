import type { Fetch } from "../../../src/world.ts";

export interface SeenRequest {
  readonly method: string;
  /** The host that was asked, and the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serves every host on 127.0.0.1. Only the fetch that a test hands in leads there: no variable and no setting
 * changes the server that ccc asks.
 */
export function usageServer(answer: (host: string, request: Request) => Response | Promise<Response>) {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const [, host = "", ...path] = new URL(request.url).pathname.split("/");
      const headers = Object.fromEntries([...request.headers].filter(([name]) => !TRANSPORT.includes(name)));
      seen.push({ method: request.method, url: `${host}/${path.join("/")}`, headers });
      return answer(host, request);
    },
  });
  const fetchHere: Fetch = (url, init) => {
    const { protocol, host, pathname } = new URL(url);
    if (protocol !== "https:") throw new Error(`${url} is not asked over HTTPS`);
    return fetch(`http://127.0.0.1:${server.port}/${host}${pathname}`, init);
  };
  return { seen, fetch: fetchHere, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** Headers that fetch adds by itself. */
const TRANSPORT = ["host", "connection", "accept-encoding"];
