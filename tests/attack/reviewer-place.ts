import { appendFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "../../src/text/shell.ts";
import type { Place } from "../harness.ts";
import { PLANTED, SECRET, SECRET_PLACES } from "./reviewer-attempts.ts";

export const CODE = "CODE-OF-THE-PROJECT";
export const TESTED = "THE-TESTS-RAN";

/** Files that differ from the commit, each with other attributes. */
const CHANGED = ["code.txt", "x.none", "x.sep", "x.raw"];
/** The name of a filter that is no UTF-8. */
const RAW_NAME = new Uint8Array([0xff]);

/** Stand-ins for test runners, which may not be installed: they record that they were started with a planted argument. */
const RUNNERS = [
  "bun",
  "go",
  "cargo",
  "pytest",
  "ctest",
  "dotnet",
  "mix",
  "yarn",
  "pnpm",
  "deno",
  "swift",
  "make",
  "npx",
];

/** Creates secrets in the home, a repository with planted programs, and test runners. */
export async function layOut(place: Place): Promise<void> {
  for (const name of SECRET_PLACES) {
    // npm would quote an invalid line in a warning.
    const text = name === ".npmrc" ? `//registry.example.com/:_authToken=${SECRET}\n` : `${SECRET}\n`;
    if (name !== ".claude/ccc.json") await place.write(place.at(name), text);
  }
  const { project } = place;
  const evil = join(project, "evil");
  const mark = `touch ${shellWord(place.at(PLANTED))}`;
  await place.write(join(evil, "x"), `#!/bin/sh\n${mark}\n`);
  await place.write(join(evil, "npm"), `#!/bin/sh\n${mark}\n`);
  await place.write(join(evil, "git-status"), `#!/bin/sh\n${mark}\n`);
  await place.write(join(evil, "package.json"), { scripts: { test: mark } });
  await place.write(join(evil, "x.ts"), "");
  await place.write(join(project, "package.json"), { scripts: { test: `echo ${TESTED}` } });
  await place.write(join(project, "code.txt"), "before\n");
  const attributes = [
    "*.txt diff=planted filter=planted",
    "*.none diff= filter=",
    "*.sep diff=a\u2028b filter=a\u2028b",
  ];
  await writeFile(
    join(project, ".gitattributes"),
    Buffer.concat([Buffer.from(`${attributes.join("\n")}\n*.raw filter=`), RAW_NAME, Buffer.from("\n")]),
  );
  for (const name of CHANGED) await place.write(join(project, name), "before\n");
  for (const name of ["x", "npm", "git-status"]) await chmod(join(evil, name), 0o755);
  await makeRepository(place);
  // What is committed may be shown.
  await place.write(join(project, "secrets/.env"), `KEY=${SECRET}\n`);
  // A review overrides what it finds there at its beginning.
  plantConfig(place, {}, true);
  for (const name of CHANGED) await place.write(join(project, name), `${CODE}\n`);
  await mkdir(join(project, "deep/a/b"), { recursive: true });
  await mkdir(join(project, "locked"), { mode: 0o000 });
  await symlink("deep/a/b", join(project, "link"));
  for (const name of ["[x", "\u{1f600}", "\u00e9"]) await symlink(place.at(".ssh"), join(project, name));
  for (const name of ["same-a", "same-b"]) await mkdir(join(project, name));
  await symlink(place.at(".ssh/id_rsa"), join(project, "same-a/file"));
  await place.write(join(project, "same-b/file"), "");
  await symlink(place.at(".ssh/id_rsa"), join(project, "link.txt"));
  await symlink(place.at(".ssh"), join(project, "folder-link"));
  for (const name of RUNNERS) {
    await place.write(join(place.bin, name), `#!/bin/sh\ncase "$*" in *evil*) ${mark};; esac\n`);
    await chmod(join(place.bin, name), 0o755);
  }
  const tools = join(Bun.which("node") ?? "", "..");
  await place.write(
    join(place.bin, "npm"),
    `#!/bin/sh\nPATH="$PATH":${shellWord(tools)} exec ${shellWord(join(tools, "npm"))} "$@"\n`,
  );
  await chmod(join(place.bin, "npm"), 0o755);
}

/** .gitattributes gives all text files a diff driver and a filter, which the config can define. */
async function makeRepository(place: Place): Promise<void> {
  const git = ["git", "-C", place.project, "-c", "user.name=a", "-c", "user.email=a@example.com"];
  await Bun.$`git init -q ${place.project} && ${git} add -A && ${git} commit -q -m first`;
}

/** Replaces the git config of the repository. */
export function plantConfig(place: Place, config: Readonly<Record<string, string>>, isRaw = false): void {
  const file = join(place.project, ".git/config");
  writeFileSync(file, "[core]\n\trepositoryformatversion = 0\n");
  if (isRaw) for (const part of ['[filter "', RAW_NAME, '"]\n\tclean = ./evil/x\n']) appendFileSync(file, part);
  for (const [name, value] of Object.entries(config)) Bun.spawnSync(["git", "config", "--file", file, name, value]);
}
