import { join } from "node:path";

/** Serves releases on 127.0.0.1 at GitHub's paths. `newest` is one of them. */
export function serveReleases(
  folders: ReadonlyMap<string, string>,
  newest: string,
): AsyncDisposable & { base: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const [, latest] = /^\/latest\/download\/([\w.-]+)$/.exec(pathname) ?? [];
      if (latest !== undefined) return Response.redirect(`/download/v${newest}/${latest}`);
      const [, version = "", name = ""] = /^\/download\/v([\w.+-]+)\/([\w.-]+)$/.exec(pathname) ?? [];
      const folder = folders.get(version);
      const file = folder === undefined ? undefined : Bun.file(join(folder, name));
      return file !== undefined && file.size > 0 ? new Response(file) : new Response("not found", { status: 404 });
    },
  });
  return { base: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}
