import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { ENVIRONMENT } from "../../../src/cli/environment.ts";
import { DETAILS } from "../../../src/cli/help.ts";
import {
  EXEC_MARK,
  FOLDERS_VARIABLE,
  LAUNCH_MARK,
  NOTES_MARK,
  REVIEWER_MARK,
  RUN_MARK,
  TRANSCRIPT_VARIABLE,
} from "../../../src/marks.ts";

const SOURCE = join(import.meta.dir, "../../../src");

test("every CCC_ variable in the code is documented or a mark", async () => {
  const found = new Set<string>();
  for await (const file of new Glob("**/*.ts").scan(SOURCE)) {
    for (const [, name = ""] of (await Bun.file(join(SOURCE, file)).text()).matchAll(
      /(?:\benv\.|")(CCC_[A-Z_]*[A-Z])\b/g,
    ))
      found.add(name);
  }
  // Part of ccc, too: `ccc upgrade` runs it.
  const script = await Bun.file(join(SOURCE, "../install.sh")).text();
  for (const [name] of script.matchAll(/\bCCC_[A-Z_]+/g)) found.add(name);
  const own = Object.keys(ENVIRONMENT).filter((name) => name.startsWith("CCC_"));
  expect([...found].sort()).toEqual(
    [...own, LAUNCH_MARK, REVIEWER_MARK, FOLDERS_VARIABLE, TRANSCRIPT_VARIABLE, RUN_MARK, EXEC_MARK, NOTES_MARK].sort(),
  );
});

test("the help lists every variable", () => {
  for (const [name, meaning] of Object.entries(ENVIRONMENT)) {
    expect(DETAILS).toMatch(new RegExp(`^  ${name} +${RegExp.escape(meaning)}$`, "m"));
  }
});
