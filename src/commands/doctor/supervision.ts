import { dirname } from "node:path";
import type { Layers } from "../../claude/layers.ts";
import { isTrusted } from "../../claude/logins.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { type Engine, SUPERVISOR_DEFAULTS } from "../../config/defaults.ts";
import { messageOf } from "../../errors.ts";
import { splitInstructions } from "../../supervisor/checks/front-matter.ts";
import { stateFolder } from "../../supervisor/project-folder.ts";
import { instructionPaths } from "../../supervisor/review/instructions.ts";
import type { World } from "../../world.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";

export function checkHooks(layers: Layers, engine: Engine = SUPERVISOR_DEFAULTS.engine): Check {
  const policy = layers.managed.find((layer) => layer.forbidsHooks);
  if (policy !== undefined) {
    const detail = `your organization's policy does not allow your hooks (${policy.path})`;
    if (engine === "loop") return warn("hooks allowed", detail, "Your engine, loop, needs none.");
    return fail("hooks allowed", detail, "Use --engine loop, which needs no hooks.");
  }
  const settings = layers.settings.filter((layer) => layer.forbidsHooks).map((layer) => layer.path);
  if (settings.length === 0) return ok("hooks allowed", "nothing forbids them");
  return warn(
    "hooks allowed",
    `disableAllHooks in ${settings.join(", ")}`,
    "A supervised launch overrides that; plain claude does not.",
  );
}

export function checkTrust(world: World): Check {
  const { files, cwd } = world;
  if (isTrusted(files, world)) return ok("folder trusted", cwd);
  return warn(
    "folder trusted",
    `Claude Code does not trust ${cwd} yet, so in a terminal it runs no hooks there`,
    "Start claude there once and accept the trust dialog.",
  );
}

export function checkInstructions(world: World, paths: Paths): Check {
  for (const path of instructionPaths(world.cwd, paths.folder)) {
    try {
      const text = world.files.read(path);
      if (text === undefined) continue;
      const { problem } = splitInstructions(text);
      if (problem !== undefined)
        return warn("SUPERVISOR.md", `the checks in ${path} do not run: ${problem}`, "Correct its front matter.");
      if (text.trim() !== "") return ok("SUPERVISOR.md", path);
      return warn(
        "SUPERVISOR.md",
        `${path} is empty, so it is ignored`,
        "Write instructions for the reviewer, or remove it.",
      );
    } catch (error) {
      return warn("SUPERVISOR.md", messageOf(error), "Make it a text file, or remove it.");
    }
  }
  return ok("SUPERVISOR.md", "none yet: the first supervised launch creates one");
}

export function checkStateFolder({ files, cwd }: World): Check {
  const folder = stateFolder(cwd);
  let nearest = folder;
  while (files.identify(nearest) === undefined && dirname(nearest) !== nearest) nearest = dirname(nearest);
  const found = files.identify(nearest);
  if (found?.isFolder && files.canWrite(nearest)) return ok("state folder", folder);
  return warn(
    "state folder",
    `${folder} is not writable because of ${nearest}`,
    "Reviews work, but their record is only in ccc's own folder. Make it writable to have a copy in the project.",
  );
}
