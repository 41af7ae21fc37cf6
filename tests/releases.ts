/** The name of the release for this machine, without extension. On musl systems it has a suffix. */
const ASSET = `ccc-${process.platform}-${process.arch}`;
export const ARCHIVE = `${ASSET}.tar.gz`;

type Body = string | Uint8Array<ArrayBuffer> | ((request: Request) => Response);

/** Releases of ccc, served on 127.0.0.1 as GitHub does. */
export interface Releases extends AsyncDisposable {
  readonly base: string;
  /** Every requested path. */
  readonly asked: string[];
  /** Publishes a release, which becomes the newest. `program` is its ccc. */
  publish(version: string, program: string | Uint8Array): Promise<void>;
  /** Replaces or removes a file of the newest release. */
  replace(name: string, change: ((file: Uint8Array<ArrayBuffer>) => Body) | undefined): void;
  /** Makes the download of a file of the newest release start and never finish. */
  stall(name: string): { readonly begun: Promise<void>; readonly gone: Promise<void> };
  /** Updates SHA256SUMS of the newest release. */
  sum(): void;
}

export function newReleases(): Releases {
  const files = new Map<string, Body>();
  const asked: string[] = [];
  let newest = "";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const path = new URL(request.url).pathname.slice(1);
      asked.push(path);
      if (path.startsWith("latest/")) return Response.redirect(path.replace("latest/download", `/${newest}`));
      const body = files.get(path);
      if (body === undefined) return new Response("not found", { status: 404 });
      return typeof body === "function" ? body(request) : new Response(body);
    },
  });
  const named = (name: string) => [name, name.replace(ASSET, `${ASSET}-musl`)].map((each) => `${newest}/${each}`);
  const put = (name: string, body: Body) => {
    for (const path of named(name)) files.set(path, body);
  };
  const sum = () => {
    const listed = [...files].filter(([path]) => path.startsWith(`${newest}/`) && !path.endsWith("SHA256SUMS"));
    const lines = listed.map(([path, body]) => `${sha256(bytesOf(body))}  ${path.slice(newest.length + 1)}\n`);
    put("SHA256SUMS", lines.join(""));
  };
  const replace: Releases["replace"] = (name, change) => {
    for (const path of named(name)) {
      const body = files.get(path);
      if (change === undefined) files.delete(path);
      else if (body !== undefined) files.set(path, change(bytesOf(body)));
    }
  };
  return {
    base: server.url.href,
    asked,
    sum,
    replace,
    async publish(version, program) {
      newest = `download/v${version}`;
      const archive = new Bun.Archive({ ccc: program, LICENSE: "MIT", "README.md": "# ccc" });
      // Compressing a program of a hundred megabytes would take seconds.
      put(ARCHIVE, Bun.gzipSync(await archive.bytes(), { level: 0 }));
      put(ASSET, Buffer.from(program));
      sum();
    },
    stall(name) {
      const begun = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      replace(name, (file) => (request) => {
        request.signal.addEventListener("abort", () => gone.resolve());
        begun.resolve();
        return new Response(new ReadableStream({ start: (stream) => stream.enqueue(file.slice(0, 20)) }));
      });
      return { begun: begun.promise, gone: gone.promise };
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Flips one bit. */
export function tamper(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const middle = file.length >> 1;
  return file.with(middle, (file[middle] ?? 0) ^ 1);
}

/** A program that the installer accepts as ccc. */
export function fakeCcc(version: string): string {
  return `#!/bin/sh\necho "ccc ${version} (built from 0123456)"\n`;
}

function bytesOf(body: Body): Uint8Array<ArrayBuffer> {
  if (typeof body === "function") throw new Error("a function has no bytes");
  return typeof body === "string" ? new Uint8Array(Buffer.from(body)) : body;
}

function sha256(bytes: Uint8Array<ArrayBuffer>): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
