/** Compiles the ccc in the current folder, whatever its version: compile-here.ts <outfile> <commit> <target as JSON> */
import { compile } from "../compile.ts";

const [outfile = "", commit = "", target = ""] = process.argv.slice(2);
await compile(outfile, commit, JSON.parse(target));
