import assert from "node:assert";
import { parseDuration } from "./src/duration.ts";

assert.equal(parseDuration("90s"), 90_000);
assert.equal(parseDuration("15m"), 900_000);
assert.equal(parseDuration("1h30m"), 5_400_000);
assert.throws(() => parseDuration("soon"));
