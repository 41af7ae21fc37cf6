import { parseArgs } from "node:util";
import { CAMPAIGNS } from "./campaigns.ts";
import { conduct } from "./conduct.ts";
import { type Row, table } from "./table.ts";
import { writeTable } from "./write-table.ts";

/**
 * `bun run test:attack`: tries to break ccc's promises and prints a table of what was tried and what held.
 *
 *   --only PREFIX    only campaigns whose name starts with PREFIX; repeatable
 *   --quick          few tries of each
 *   --count N        N tries of each
 *   --seed N         repeats the choices of an earlier run (its timing may differ)
 *   --write          writes the tables to docs/security.md and tests/attack/sandbox.md
 */

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    quick: { type: "boolean", default: false },
    count: { type: "string" },
    seed: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = CAMPAIGNS.filter(({ name }) => options.only.some((wanted) => name.startsWith(wanted)));
if (chosen.length === 0) {
  console.error(`no such campaign; available: ${CAMPAIGNS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
console.error(`seed ${seed}`);
const rows = await conduct(chosen, seed, ({ tries, quick }) =>
  Number(options.count ?? (options.quick ? quick : tries)),
);
console.log(table(rows));
const failed = rows.filter(({ outcome }) => outcome.failures.length > 0);
for (const row of failed) explain(row, 10);
if (options.write) await writeTable(rows, seed);
process.exit(failed.length === 0 ? 0 : 1);

/** Prints one failure of each kind, and how to repeat the campaign. */
function explain({ campaign: { name }, outcome: { failures } }: Row, shown: number): void {
  console.error(`\n${name}: ${failures.length} did not hold. Again: bun run test:attack --only ${name} --seed ${seed}`);
  const kinds = new Map(failures.map((failure) => [failure.problem.replace(/[^a-z ]/g, "").slice(0, 40), failure]));
  for (const { where, problem } of [...kinds.values()].slice(0, shown))
    console.error(`  ${where}\n    ${problem.slice(0, 1_000)}`);
  console.error(
    `  ${kinds.size} kinds of failure, in: ${failures
      .map(({ where }) => where.slice(0, 100))
      .join(" | ")
      .slice(0, 3_000)}`,
  );
}
