import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import type { FileSystem } from "typescript/unstable/fs";

/** The TypeScript compiler for one tree. */
export interface Compiler extends AsyncDisposable {
  parse(path: string): Promise<SourceFile>;
  /** Whether the file has errors now. */
  rejects(path: string): Promise<boolean>;
}

/** Tests pass `fs` instead of the disk. */
export function openCompiler(tree: string, fs?: FileSystem): Compiler {
  const api = new API({ cwd: tree, ...(fs && { fs }) });
  const config = join(tree, "tsconfig.json");
  let last: { readonly path: string; readonly snapshot: Snapshot } | undefined;
  const programOf = (snapshot: Snapshot): Program => {
    const project = snapshot.getProject(config);
    if (project === undefined) throw new Error(`${config} cannot be read`);
    return project.program;
  };
  /** The program, after files may have changed, and the previous one. */
  const programWith = async (path: string): Promise<Program> => {
    const changed = last === undefined ? [path] : [last.path, path];
    const snapshot = await api.updateSnapshot({ openProjects: [config], fileChanges: { changed } });
    // Only now, because the compiler reuses the previous program.
    await last?.snapshot.dispose();
    last = { path, snapshot };
    return programOf(snapshot);
  };
  return {
    async parse(path) {
      // Only the file of the previous check can have changed.
      const known = last?.path === path ? undefined : last?.snapshot;
      const program = known === undefined ? await programWith(path) : programOf(known);
      api.clearSourceFileCache();
      const file = await program.getSourceFile(path);
      if (file === undefined) throw new Error(`${path} is not part of ${config}`);
      return file;
    },
    async rejects(path) {
      const program = await programWith(path);
      const syntax = await program.getSyntacticDiagnostics(path);
      return syntax.length > 0 || (await program.getSemanticDiagnostics(path)).length > 0;
    },
    [Symbol.asyncDispose]: async () => api.close(),
  };
}

type Snapshot = Awaited<ReturnType<API["updateSnapshot"]>>;
type Program = NonNullable<ReturnType<Snapshot["getProject"]>>["program"];
