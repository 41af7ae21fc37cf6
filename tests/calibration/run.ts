import { CASES } from "./case-place.ts";
import { checkCase, PINNED_CLAUDE } from "./check-case.ts";

/**
 * `bun run test:cases [NAME…]`: runs the session of each case in the real Claude Code, runs its proof, and checks what a
 * reviewer would be sent. With names, only those cases: `bun run test:cases red-tests deleted-test/fixed`.
 */

const wanted = process.argv.slice(2);
const chosen = CASES.filter(({ id }) => wanted.length === 0 || wanted.some((name) => `${id}/`.startsWith(`${name}/`)));
if (chosen.length === 0) {
  console.error(`no such case; available: ${CASES.map(({ id }) => id).join(", ")}`);
  process.exit(2);
}
const waiting = [...chosen];
let failed = 0;
await Promise.all([work(), work()]);
console.log(`${chosen.length} cases, ${failed} with faults`);
process.exit(failed === 0 ? 0 : 1);

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const faults = await checkCase(next, PINNED_CLAUDE);
    console.log(
      `${faults.length === 0 ? "ok  " : "FAIL"} ${next.id}${faults.map((each) => `\n     ${each}`).join("")}`,
    );
    if (faults.length > 0) failed += 1;
  }
}
