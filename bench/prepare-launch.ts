import { existsSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installPackage } from "../scripts/npm-packages.ts";
import type { Launcher, Provider } from "./launchers.ts";
import type { Program } from "./measure.ts";
import { type Stays, whatStays } from "./what-stays.ts";

/** Not in the repository. */
const CACHE = join(import.meta.dir, "../.cache/launchers");

/** A launch that has been tried: it starts claude on the provider. */
export interface PreparedLaunch {
  readonly program: Program;
  readonly stays: Stays;
  readonly stop: Program | undefined;
}

/** Installs a launcher, gives it a home in `folder`, and launches once. Throws if claude is not given the provider. */
export async function prepareLaunch(launcher: Launcher, folder: string, provider: Provider): Promise<PreparedLaunch> {
  const programs = await install(launcher);
  const port = freePort();
  const { env, cwd, bin } = await makeHome(folder, launcher.files(provider, port));
  const program = ([name = "", ...args]: readonly string[]) => ({ command: [join(programs, name), ...args], env, cwd });
  const launch = program(launcher.launch);
  const stays = await whatStays({ ...launch, bin });
  await copyFile(Bun.which("true") ?? "", join(bin, "claude"));
  const addresses = [provider.url, `http://127.0.0.1:${port}`];
  const prepared = { program: launch, stays, stop: launcher.stop && program(launcher.stop) };
  if (addresses.some((address) => stays.given.includes(address))) return prepared;
  stopServer(prepared);
  throw new Error("claude was not given the provider");
}

export function stopServer({ stop }: Pick<PreparedLaunch, "stop">): void {
  if (stop !== undefined) Bun.spawnSync([...stop.command], { env: { ...stop.env } });
}

/** The folder of its programs. */
async function install({ package: name, version = "" }: Launcher): Promise<string> {
  if (name === undefined) return join(import.meta.dir, "../dist");
  const folder = join(CACHE, `${name.replace("/", "+")}@${version}`);
  if (!existsSync(folder)) await installPackage(name, version, folder);
  return join(folder, "node_modules/.bin");
}

async function makeHome(folder: string, files: Readonly<Record<string, object>>) {
  const [home, bin, cwd, temporary] = [join(folder, "home"), join(folder, "bin"), join(folder, "p"), join(folder, "t")];
  for (const each of [home, bin, cwd, temporary]) await mkdir(each, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), JSON.stringify(content));
  }
  const node = Bun.which("node");
  const path = [bin, ...(node === null ? [] : [dirname(node)]), "/usr/bin", "/bin"];
  return { env: { HOME: home, PATH: path.join(":"), TMPDIR: temporary }, cwd, bin };
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  server.stop();
  return server.port;
}
