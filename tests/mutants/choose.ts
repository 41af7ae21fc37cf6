import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../attack/random.ts";
import type { Imports } from "./import-graph.ts";
import { type Mutation, mutated, mutationsOf } from "./mutations.ts";
import type { Compiler } from "./typescript.ts";

/** One change to one file. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly mutation: Mutation;
  /** The changed lines, without context. */
  readonly before: string;
  readonly after: string;
}

/** A part of `src`, with the number of possible mutants and the chosen ones. */
export interface Part {
  readonly name: string;
  readonly size: number;
  readonly chosen: readonly Mutant[];
}

/** Up to `count` random mutants of the files of a part, without those that the compiler rejects. */
export async function choose(
  { name, includes }: { readonly name: string; readonly includes: (file: string) => boolean },
  { tree, imports, compiler, count, seed }: Source & { readonly count: number; readonly seed: number },
): Promise<Part> {
  const isTried = (file: string) => file.startsWith("src/") && includes(file) && !DANGEROUS.includes(file);
  const files = [...imports.keys()].filter(isTried).sort();
  const all: Mutant[] = [];
  for (const file of files) {
    const parsed = await compiler.parse(join(tree, file));
    all.push(...mutationsOf(parsed).map((mutation) => mutantOf(file, parsed.text, mutation)));
  }
  const chosen: Mutant[] = [];
  let tried = 0;
  for (const mutant of seeded(seed).shuffled(all)) {
    if (chosen.length === count) break;
    tried++;
    if (!(await isRejected(mutant, tree, compiler))) chosen.push(mutant);
  }
  return { name, size: tried === 0 ? 0 : Math.round((all.length * chosen.length) / tried), chosen };
}

/** They end the processes of a run, and a mutant of them every process on the machine. */
const DANGEROUS = ["src/os/child.ts", "src/os/processes.ts"];

export interface Source {
  readonly tree: string;
  readonly imports: Imports;
  readonly compiler: Compiler;
}

export function mutantOf(file: string, source: string, mutation: Mutation): Mutant {
  const from = source.lastIndexOf("\n", mutation.start) + 1;
  const newline = source.indexOf("\n", mutation.end);
  const to = newline === -1 ? source.length : newline;
  const line = source.slice(0, mutation.start).split("\n").length;
  const after = source.slice(from, mutation.start) + mutation.text + source.slice(mutation.end, to);
  return { file, line, mutation, before: source.slice(from, to).trim(), after: after.trim() };
}

/** Runs something while the mutant replaces its file. */
export async function withMutant<T>({ file, mutation }: Mutant, tree: string, run: () => Promise<T>): Promise<T> {
  const path = join(tree, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, mutated(source, mutation));
  try {
    return await run();
  } finally {
    writeFileSync(path, source);
  }
}

function isRejected(mutant: Mutant, tree: string, compiler: Compiler): Promise<boolean> {
  return withMutant(mutant, tree, () => compiler.rejects(join(tree, mutant.file)));
}
