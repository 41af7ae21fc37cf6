/** The scripted API in a process of its own, for programs that are measured one at a time. Prints its address. */
import { startSandbox } from "../src/sandbox/server.ts";

console.log(startSandbox(() => ({ say: "ok" })).url);
