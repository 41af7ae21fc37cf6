import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ABOUT } from "../about.ts";
import { FORMULA } from "../package.ts";
import { serveReleases } from "./releases.ts";
import { notRun, passed, type Step } from "./step.ts";

/** Checks the formula's syntax, and runs what `brew test` would run, without Homebrew. */
export const formulaStep: Step = {
  name: "formula",
  needsRelease: true,
  async run({ assets, scratch, run }) {
    if (Bun.which("ruby") === null) return notRun("ruby missing: apt-get install ruby");
    const formula = join(assets, FORMULA);
    await run(["ruby", "-c", formula]);
    if (process.platform !== "linux" || process.arch !== "x64") return passed("ruby -c");
    await run(["tar", "-xzf", join(assets, "ccc-linux-x64.tar.gz"), "-C", scratch]);
    await run(["ruby", join(import.meta.dir, "formula-test.rb"), formula, join(scratch, "ccc"), scratch]);
    return passed("ruby -c, and its test on the program for linux-x64");
  },
};

/** Homebrew installs the formula from a temporary tap. */
export const brewStep: Step = {
  name: "brew",
  needsRelease: true,
  async run({ assets, run }) {
    const brew = [Bun.which("brew") ?? "", ...USUAL_PLACES].find((file) => existsSync(file));
    if (brew === undefined) return notRun("Homebrew is not installed: https://brew.sh");
    const call = (...words: string[]) => run([brew, ...words], { env: ENVIRONMENT });
    const prefix = (await call("--prefix")).trim();
    if (existsSync(join(prefix, "Cellar/ccc"))) return notRun("Homebrew has a ccc installed, which stays as it is");
    const tap = join((await call("--repository")).trim(), "Library/Taps/ccc-cli/homebrew-rehearsal");
    await using server = serveReleases(new Map([[ABOUT.version, assets]]), ABOUT.version);
    try {
      const file = join(tap, "Formula", FORMULA);
      await mkdir(dirname(file), { recursive: true });
      await Bun.write(file, localFormula(await Bun.file(join(assets, FORMULA)).text(), server.base));
      await call("install", "--formula", NAME);
      const said = (await run([join(prefix, "bin/ccc"), "--version"])).trim();
      if (!said.startsWith(`ccc ${ABOUT.version} (`)) throw new Error(`installed by Homebrew, it says: ${said}`);
      const version = (await call("--version")).split("\n")[0] ?? "Homebrew";
      const tested = await call("test", NAME).then(() => "brew test", withoutGems);
      return passed(`${version}: brew install, ${tested}, brew uninstall`);
    } finally {
      if (existsSync(join(prefix, "Cellar/ccc"))) await call("uninstall", "--formula", NAME);
      await rm(tap, { recursive: true, force: true });
    }
  },
};

const NAME = "ccc-cli/rehearsal/ccc";
const USUAL_PLACES = ["/home/linuxbrew/.linuxbrew/bin/brew", "/opt/homebrew/bin/brew", "/usr/local/bin/brew"];
const ENVIRONMENT = {
  ...(process.env as Record<string, string>),
  HOMEBREW_NO_AUTO_UPDATE: "1",
  HOMEBREW_NO_ANALYTICS: "1",
  HOMEBREW_NO_ENV_HINTS: "1",
  HOMEBREW_NO_INSTALL_CLEANUP: "1",
  HOMEBREW_NO_REQUIRE_TAP_TRUST: "1",
};

/** The formula, downloading from this machine. */
export function localFormula(formula: string, base: string): string {
  return formula.replaceAll(`https://github.com/${ABOUT.repository}/releases/download`, `${base}/download`);
}

/** `brew test` downloads Ruby packages first. If they are unavailable, that says nothing about the formula. */
function withoutGems(error: Error): string {
  if (!/failed to install the .* gem/.test(error.message)) throw error;
  return "brew test not run (its Ruby packages cannot be downloaded here)";
}
