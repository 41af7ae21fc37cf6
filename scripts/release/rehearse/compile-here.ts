import { compile } from "../compile.ts";

/** Compiles the ccc in the current folder, whatever its version: compile-here.ts <outfile> <commit> <target as JSON> */

const [outfile = "", commit = "", target = ""] = process.argv.slice(2);
await compile(outfile, commit, JSON.parse(target));
