import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { newPlace } from "../harness.ts";

const KEY = "sk-nobody-may-see-this-key";
const at = (url: string) => ({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: KEY } });

/** A proxy that records the requested hosts, and connects to none. */
function newProxy() {
  let said = "";
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket, data) => {
        said += data.toString();
        socket.end("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
      },
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    said: () => said,
    [Symbol.dispose]: () => server.stop(true),
  };
}

test("ccc usage asks only the provider's own host, over TLS, and says what it could not find out", async () => {
  await using place = await newPlace();
  using proxy = newProxy();
  const providers = {
    glm: at("https://api.z.ai/api/anthropic"),
    kimi: at("https://api.kimi.com/coding/"),
    local: at("http://127.0.0.1:1"),
    near: at("https://api.z.ai.localhost/api/anthropic"),
    claude: {},
  };
  await place.config({ providers });
  const env = { HTTPS_PROXY: proxy.url, https_proxy: proxy.url, NO_PROXY: "", no_proxy: "" };
  const { exitCode, stdout, stderr } = await place.ccc(["usage", "--all", "--json"], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
  const found = JSON.parse(stdout).providers.map((each: Record<string, unknown>) => [
    each.name,
    each.status,
    each.cause,
  ]);
  expect(found).toEqual([
    ["glm", "failed", "unreachable"],
    ["kimi", "failed", "unreachable"],
    ["local", "none", "unknown_server"],
    ["near", "none", "unknown_server"],
    ["claude", "none", "uses_login"],
  ]);
  expect([...proxy.said().matchAll(/^([A-Z]+ \S+) HTTP/gm)].map(([, request]) => request).sort()).toEqual([
    "CONNECT api.kimi.com:443",
    "CONNECT api.z.ai:443",
  ]);
  expect(proxy.said() + stdout).not.toContain(KEY);

  expect(await readdir(place.at(".claude/ccc")).catch(() => [])).not.toContain("usage");
  const unknown = await place.ccc(["usage", "glmm"]);
  expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
  expect(unknown.stderr).toContain('did you mean "glm"?');
});
