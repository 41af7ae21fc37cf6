import { startSandbox } from "../src/sandbox/messages-api.ts";

/** The scripted API in a process of its own, for programs that are measured one at a time. Prints its address. */

console.log(startSandbox(() => ({ say: "ok" })).url);
