import { join } from "node:path";
import { description, repository, version } from "../../package.json" with { type: "json" };

/** The folder of the source. */
export const ROOT = join(import.meta.dir, "../..");

export const ABOUT = { version, description, repository: repository.replace(/^github:/, "") };
