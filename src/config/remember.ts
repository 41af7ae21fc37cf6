import type { Files } from "../os/files.ts";
import { setIn } from "../text/json-text.ts";
import { checkConfig } from "./check.ts";

/** Sets current_provider, and leaves every other byte of the file as it is. */
export function rememberProvider(files: Files, path: string, provider: string): void {
  files.edit(path, (text = "") => {
    const { current_provider } = checkConfig(text, path);
    return current_provider === provider ? undefined : setIn(text, ["current_provider"], provider);
  });
}
