import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import type { FileSystem } from "typescript/unstable/fs";

/** The TypeScript compiler, at work on one tree. */
export interface Compiler extends AsyncDisposable {
  parse(path: string): Promise<SourceFile>;
  /** Whether the file has errors, as it is now. */
  rejects(path: string): Promise<boolean>;
}

/** `fs` stands in for the disk in tests. */
export function openCompiler(tree: string, fs?: FileSystem): Compiler {
  const api = new API({ cwd: tree, ...(fs && { fs }) });
  const config = join(tree, "tsconfig.json");
  let before = "";
  /** Asks about a file; it may have changed since the last question, and so may the file of that question. */
  const ask = async <T>(path: string, question: (program: Program) => Promise<T>): Promise<T> => {
    const changed = before === "" ? [path] : [before, path];
    before = path;
    const snapshot = await api.updateSnapshot({ openProjects: [config], fileChanges: { changed } });
    try {
      const program = snapshot.getProject(config)?.program;
      if (program === undefined) throw new Error(`${config} cannot be read`);
      return await question(program);
    } finally {
      await snapshot.dispose();
    }
  };
  return {
    parse: (path) =>
      ask(path, async (program) => {
        api.clearSourceFileCache();
        const file = await program.getSourceFile(path);
        if (file === undefined) throw new Error(`${path} is not part of ${config}`);
        return file;
      }),
    rejects: (path) =>
      ask(path, async (program) => {
        const syntax = await program.getSyntacticDiagnostics(path);
        return syntax.length > 0 || (await program.getSemanticDiagnostics(path)).length > 0;
      }),
    [Symbol.asyncDispose]: async () => api.close(),
  };
}

type Program = NonNullable<ReturnType<Awaited<ReturnType<API["updateSnapshot"]>>["getProject"]>>["program"];
