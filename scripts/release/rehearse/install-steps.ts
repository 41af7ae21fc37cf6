import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Libc } from "../../../src/build-info.ts";
import { ABOUT, ROOT } from "../about.ts";
import { SUMS } from "../sums.ts";
import { archiveName } from "../targets.ts";
import { type EmptyRoot, emptyRoot, rootProblem } from "./empty-root.ts";
import { buildPrevious, serveReleases } from "./releases.ts";
import { notRun, passed, type Step } from "./step.ts";

/** install.sh installs the release in an empty root; the program passes the smoke test and works with Claude Code. */
export function installStep(libc: Libc): Step {
  return {
    name: `install-${libc}`,
    needsRelease: true,
    async run(stage) {
      const problem = rootProblem(libc);
      if (problem !== undefined) return notRun(problem);
      const root = await emptyRoot(libc, stage);
      await using server = serveReleases(new Map([[ABOUT.version, stage.assets]]), ABOUT.version);
      await root.sh(`${INSTALL} latest/download/install.sh`, { CCC_DOWNLOAD_BASE: server.base });
      await saysVersion(root, ABOUT.version);
      await smoke(root, stage.assets, libc);
      const claude = (await root.sh("claude --version")).trim();
      for (const engine of ["hook", "loop"]) {
        const said = await root.sh(`ccc demo --fast --engine ${engine}`);
        if (!said.includes("Done: 3 of 3 met after 3 reviews")) throw new Error(`ccc demo (${engine}): ${said}`);
      }
      await root.sh("sh /tmp/install.sh --uninstall");
      const left = (await root.sh("find /usr/local -type f")).trim();
      if (left !== "") throw new Error(`--uninstall left ${left}`);
      return passed(`install.sh, smoke test, ccc demo with both engines on ${claude}, --uninstall`);
    },
  };
}

/** A ccc of the previous release upgrades to this one, goes back, and keeps its configuration. */
export function upgradeStep(libc: Libc): Step {
  return {
    name: `upgrade-${libc}`,
    needsRelease: true,
    async run(stage) {
      const problem = rootProblem(libc);
      if (problem !== undefined) return notRun(problem);
      const previous = await buildPrevious(libc, stage);
      const root = await emptyRoot(libc, stage);
      const releases = new Map([
        [ABOUT.version, stage.assets],
        [previous.version, previous.folder],
      ]);
      await using server = serveReleases(releases, ABOUT.version);
      const env = { CCC_DOWNLOAD_BASE: server.base };
      const old = previous.version;
      await root.sh(`${INSTALL} download/v${old}/install.sh --version ${old}`, env);
      await root.sh(`mkdir -p /root/.claude && echo '{ "providers": { "mine": {} } }' >/root/.claude/ccc.json`);
      await saysVersion(root, old);
      const ways = [
        ["ccc upgrade", ABOUT.version],
        [`ccc upgrade --version ${old}`, old],
        ["ccc upgrade", ABOUT.version],
      ] as const;
      for (const [command, version] of ways) {
        await root.sh(command, env);
        await saysVersion(root, version);
        await root.sh("ccc provider list | grep mine");
        await root.sh(`grep -x 'version ${version}' /usr/local/share/ccc/receipt`);
      }
      const again = await root.sh("ccc upgrade", env);
      if (!again.includes("is already this version")) throw new Error(`a second ccc upgrade: ${again}`);
      return passed(`${old} (${previous.source}) → ${ABOUT.version} → ${old} → ${ABOUT.version}`);
    },
  };
}

/** Downloads the script as a user would, then runs it with the remaining arguments. */
const INSTALL = `get() { wget -q -O /tmp/install.sh "$CCC_DOWNLOAD_BASE/$1" && shift && sh /tmp/install.sh "$@"; }; get`;

async function saysVersion(root: EmptyRoot, version: string): Promise<void> {
  const said = (await root.sh("ccc --version")).trim();
  if (!said.startsWith(`ccc ${version} (`)) throw new Error(`installed ${version}, but it says: ${said}`);
}

async function smoke(root: EmptyRoot, assets: string, libc: Libc): Promise<void> {
  const archive = archiveName({ os: "linux", arch: "x64", libc });
  await mkdir(join(root.folder, "release"));
  for (const name of [archive, SUMS]) await copyFile(join(assets, name), join(root.folder, "release", name));
  await copyFile(join(ROOT, "scripts/release/smoke.sh"), join(root.folder, "release/smoke.sh"));
  await root.sh(`sh /release/smoke.sh /release/${archive} ${ABOUT.version}`);
}
