import { existsSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "puppeteer-core";
import puppeteer from "puppeteer-core";
import PACKAGE from "../node_modules/@sparticuz/chromium/package.json" with { type: "json" };

const CACHE = join(import.meta.dir, "../node_modules/.cache");
const FOLDER = join(CACHE, `chromium-${PACKAGE.version}`);

/** A real browser. On Linux it comes in a package and needs nothing installed; elsewhere it is the installed Chrome. */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== "linux" || process.arch !== "x64") return puppeteer.launch({ channel: "chrome" });
  await unpack();
  const home = await mkdtemp(join(CACHE, "home-"));
  const browser = await puppeteer.launch({
    executablePath: join(FOLDER, "chromium"),
    headless: "shell",
    // Chrome has no sandbox as root, and the page is ccc's own.
    args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
    userDataDir: home,
    env: { HOME: home, LD_LIBRARY_PATH: join(FOLDER, "al2023/lib"), FONTCONFIG_PATH: join(FOLDER, "fonts") },
  });
  browser.process()?.once("exit", () => rmSync(home, { recursive: true, force: true }));
  return browser;
}

/** Unpacks it once. If several do so at the same time, the first one wins. */
async function unpack(): Promise<void> {
  if (existsSync(FOLDER)) return;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "unpacking-"));
  const script = join(import.meta.dir, "unpack-browser.ts");
  const child = Bun.spawn([process.execPath, script], { env: { ...process.env, TMPDIR: folder }, stdout: "ignore" });
  if ((await child.exited) !== 0) throw new Error("the browser could not be unpacked");
  await writeFile(join(folder, "fonts/fonts.conf"), FONTS);
  try {
    await rename(folder, FOLDER);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(FOLDER)) throw error;
  }
}

/** The fonts of the system, and those of the package where it has none. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${FOLDER}/fonts/fonts</dir>
  <cachedir>${FOLDER}/fonts/cache</cachedir>
</fontconfig>
`;
