/** An npm registry on 127.0.0.1 with one package: a version of Claude Code that runs the given program. */
export function newRegistry(version: string, program: string): AsyncDisposable & { readonly url: string } {
  const name = "@anthropic-ai/claude-code";
  const manifest = { name, version, bin: { claude: "claude.sh" } };
  const archive = new Bun.Archive({
    "package/package.json": JSON.stringify(manifest),
    "package/claude.sh": `#!/bin/sh\nexec '${program}' "$@"\n`,
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, origin } = new URL(request.url);
      const tarball = Bun.gzipSync(await archive.bytes());
      if (pathname === "/claude-code.tgz") return new Response(tarball);
      if (decodeURIComponent(pathname) !== `/${name}`) return new Response("not found", { status: 404 });
      const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(tarball).digest("base64")}`;
      const dist = { tarball: `${origin}/claude-code.tgz`, integrity };
      return Response.json({ name, "dist-tags": {}, versions: { [version]: { ...manifest, dist } } });
    },
  });
  return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
}
