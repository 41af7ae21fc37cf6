import { CAMPAIGNS } from "./campaigns.ts";
import { seeded } from "./random.ts";

/** Runs one campaign and prints its outcome as JSON, for run.ts: `bun one.ts NAME COUNT SEED`. */

const [name, count, seed] = process.argv.slice(2);
const campaign = CAMPAIGNS.find((each) => each.name === name);
if (campaign === undefined) throw new Error(`there is no campaign ${name}`);
const outcome = await campaign.run(Number(count), seeded(Number(seed)));
await Bun.write(Bun.stdout, JSON.stringify(outcome));
// Open connections to a sandbox would keep the process alive.
process.exit(0);
