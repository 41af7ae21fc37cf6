import { afterAll, describe, expect, test } from "bun:test";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { mutated, mutationsOf } from "../../mutants/mutations.ts";
import { openCompiler } from "../../mutants/typescript.ts";

const files: Record<string, string> = {
  "/tree/tsconfig.json": '{ "compilerOptions": { "noLib": true, "strict": true }, "include": ["."] }',
  "/tree/file.ts": "",
};
const compiler = openCompiler("/tree", {
  ...createVirtualFileSystem(files),
  readFile: (path) => files[path] ?? null,
});
afterAll(() => compiler[Symbol.asyncDispose]());

async function mutantsOf(source: string): Promise<string[]> {
  files["/tree/file.ts"] = source;
  return mutationsOf(await compiler.parse("/tree/file.ts")).map((mutation) => mutated(source, mutation));
}

const changed: readonly (readonly [source: string, ...mutants: string[]])[] = [
  ["a === b;", "a !== b;"],
  ["a !== b;", "a === b;"],
  ["a < b;", "a <= b;"],
  ["a <= b;", "a < b;"],
  ["a > b;", "a >= b;"],
  ["a >= b;", "a > b;"],
  ["f(true);", "f(false);"],
  ["f(false);", "f(true);"],
  ["f(!a);", "f(a);"],
  ["f(a || b);", "f((a && b));"],
  ["f(a && b && c);", "f((a && b || c));", "f((a || b) && c);"],
  ["a === 0;", "a !== 0;", "a === 1;"],
  ["f(a + 1);", "f(a - 1);"],
  ["f(a - 1);", "f(a + 1);"],
  ["f(a ? b : c);", "f(!(a) ? b : c);"],
  ["if (a) b(); else c();", "if (!(a)) b(); else c();"],
  ["if (!a) b();", "if (a) b();"],
  ["while (a) b();", "while (!(a)) b();"],
  ["for (;;) if (a) break;", "for (;;) {}", "for (;;) if (!(a)) break;"],
  ["function f() { if (a) return 1; }", "function f() { {} }", "function f() { if (!(a)) return 1; }"],
  ["function f() { if (a) { return; } }", "function f() { {} }", "function f() { if (!(a)) { return; } }"],
  ["`${a === b}`;", "`${a !== b}`;"],
];

describe("is mutated", () => {
  test.each(changed)("%s", async (source, ...mutants) => expect(await mutantsOf(source)).toEqual(mutants));
});

const same: readonly (readonly [what: string, source: string])[] = [
  ["a string", 'f("a === b && true");'],
  ["a template", "f(`a === b`);"],
  ["a comment", "f(); // if (a === b) return true;\n/* a && !b */"],
  ["a regular expression", "f(/a===b|!c/);"],
  ["a type", "type T = true extends false ? 1 : 2; interface I { a: true; b(): false | undefined }"],
  ["a type argument", "f<true>(a as false);"],
  ["an optional call and a default", "f(a?.b ?? c);"],
  ["an arrow, and generics that look like comparisons", "const f = <T>(a: T) => g<T>(a);"],
  ["text that is added up", "f(a + b);"],
  ["numbers that nothing is compared with", "f(3);"],
];

describe("is left alone:", () => {
  test.each(same)("%s", async (_, source) => expect(await mutantsOf(source)).toEqual([]));
});

test("what the compiler rejects is known, and forgotten when the file is as it was", async () => {
  files["/tree/file.ts"] = "export const a: true = false;";
  expect(await compiler.rejects("/tree/file.ts")).toBe(true);
  files["/tree/file.ts"] = "export const a: true = true;";
  expect(await compiler.rejects("/tree/file.ts")).toBe(false);
});
