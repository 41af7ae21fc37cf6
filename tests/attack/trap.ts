import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A server that must not get any requests: an API, a proxy and a tunnel. It records those that it gets. */
export interface Trap extends AsyncDisposable {
  readonly url: string;
  /** One line for each request, with its credentials. */
  readonly caught: readonly string[];
}

export async function newTrap(): Promise<Trap> {
  return serve(() => undefined);
}

/**
 * The user's own proxy. It forwards requests for `host`, which only it can resolve, to `server`, and records all other
 * requests, such as those to Anthropic.
 */
export async function newProxy(host: string, server: string): Promise<Trap> {
  return serve((url) => (url.host === host ? server + url.pathname + url.search : undefined));
}

async function serve(forward: (url: URL) => string | undefined): Promise<Trap> {
  const caught: string[] = [];
  const server = createServer((request, response) => {
    const target = URL.canParse(request.url ?? "") ? forward(new URL(request.url ?? "")) : undefined;
    if (target !== undefined) return void pass(request, response, target);
    caught.push(lineOf(request));
    response.writeHead(400, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"trapped"}}');
  });
  server.on("connect", (request, socket) => {
    caught.push(lineOf(request));
    socket.on("error", () => {});
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the trap has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    caught,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pass(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { host: _host, "content-length": _length, "proxy-connection": _proxy, ...headers } = request.headers;
  const body = request.method === "GET" || request.method === "HEAD" ? undefined : Buffer.concat(chunks);
  const answer = await fetch(target, {
    method: request.method ?? "GET",
    headers: headers as Record<string, string>,
    ...(body && { body }),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

function lineOf({ method, url, headers }: IncomingMessage): string {
  const { authorization, "x-api-key": key, "proxy-authorization": proxy } = headers;
  return `${method} ${url} ${JSON.stringify({ authorization, key, proxy })}`;
}
