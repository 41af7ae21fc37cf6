import { join, programFolders } from "../../../os/path.ts";
import type { World } from "../../../world.ts";
import type { CalibrationCase } from "./calibration-case.ts";

export interface SortedCases {
  readonly runnable: readonly CalibrationCase[];
  readonly leftOut: readonly { readonly case: string; readonly needs: string }[];
}

/** Leaves out the cases that need a program that is not there. */
export function withoutMissingPrograms(
  cases: readonly CalibrationCase[],
  { env, files, platform }: Pick<World, "env" | "files" | "platform">,
): SortedCases {
  const endings = platform === "win32" ? [".exe", ".cmd"] : [""];
  const places = programFolders(env, platform).flatMap((folder) =>
    endings.map((ending) => (name: string) => join(folder, name + ending)),
  );
  const known = new Map<string, boolean>();
  const isThere = (name: string) => {
    const found = known.get(name) ?? places.some((place) => files.programSize(place(name)) !== undefined);
    known.set(name, found);
    return found;
  };
  const needed = cases.map((each) => ({ each, missing: each.needs.find((name) => !isThere(name)) }));
  return {
    runnable: needed.flatMap(({ each, missing }) => (missing === undefined ? [each] : [])),
    leftOut: needed.flatMap(({ each, missing }) => (missing === undefined ? [] : [{ case: each.id, needs: missing }])),
  };
}
