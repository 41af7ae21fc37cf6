import { createServer } from "node:net";

/** A proxy that records where connections go, and lets none through. */
export async function blockingProxy() {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(data.toString().split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
