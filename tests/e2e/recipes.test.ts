import { describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CCC, newPlace } from "../harness.ts";

const PAGE = join(import.meta.dir, "../../docs/recipes.md");

/** A recipe of docs/recipes.md. */
interface Recipe {
  readonly title: string;
  readonly commands: readonly string[];
}

const RECIPES: readonly Recipe[] = (await readFile(PAGE, "utf8"))
  .split("\n## ")
  .slice(1)
  .map((text) => {
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
    const inContainer = /"postCreateCommand": "(.*)"/.exec(text)?.[1] ?? "";
    const commands = [inContainer, ...blocks.join("").split("\n")].filter((command) => command !== "");
    return { title: text.split("\n")[0] ?? "", commands };
  });

/** Nothing may reach a provider's server: launches are only planned, and validate only checks the name. */
const WITHOUT_SERVERS = `#!/bin/sh
case "$1" in
  provider | pin) exec ${CCC} "$@" ;;
  validate) shift; test "$1" = --deep && shift; exec ${CCC} provider show "$@" ;;
  *) exec ${CCC} --dry-run "$@" ;;
esac
`;

describe("the recipes of docs/recipes.md", () => {
  test("are the expected ones", () => {
    expect(RECIPES.map(({ title }) => title)).toEqual([
      "A team's ccc.json without keys",
      "A devcontainer",
      "Two accounts of one provider",
      "A gateway that translates",
      "A local model",
    ]);
  });

  test.each(RECIPES.map((recipe) => [recipe.title, recipe] as const))("%s", async (_title, { commands }) => {
    await using place = await newPlace();
    await writeFile(join(place.bin, "ccc"), WITHOUT_SERVERS, { mode: 0o755 });
    for (const name of ["work", "private"]) {
      await place.write(join(place.project, `${name}.txt`), `sk-of-${name}-0123456789\n`);
    }
    await place.config({ providers: {} });
    expect(commands).not.toBeEmpty();
    const script = ["set -e", ...commands].join("\n");
    const env = { ...place.env, GLM_KEY: "sk-a", LITELLM_KEY: "sk-b", CCR_KEY: "sk-c", TEAM_GLM_KEY: "sk-d" };
    const child = Bun.spawn(["bash", "-c", script], { cwd: place.project, env, stdin: "ignore", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect({ exitCode: await child.exited, stdout, stderr }).toMatchObject({ exitCode: 0 });
  });
});
