import { beforeAll, setDefaultTimeout } from "bun:test";

/** Only keeps a test from hanging forever. The default of five seconds is too short for real programs. */
const TIMEOUT_MS = 180_000;

setDefaultTimeout(TIMEOUT_MS);
beforeAll(() => setDefaultTimeout(TIMEOUT_MS));
