import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { terminalPath, terminalsFolder } from "../../../../src/supervisor/record/session-record.ts";
import { continueTerminal, readTerminal, startTerminal } from "../../../../src/supervisor/record/terminal-record.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });

test("each claude has a record of its own, and only the number of a process can name its file", () => {
  const files = memoryFiles();
  startTerminal(files, PATHS, "7", "a", undefined);
  startTerminal(files, PATHS, "8", "b", undefined);
  startTerminal(files, PATHS, "../sessions/s/launch", "c", undefined);
  continueTerminal(files, PATHS, "7", "after /clear");
  expect(["7", "8"].map((claude) => readTerminal(files, PATHS, claude)?.sessions)).toEqual([
    ["a", "after /clear"],
    ["b"],
  ]);
  expect(Object.keys(files.content).sort()).toEqual(
    ["7", "8", "unknown"].map((name) => `${terminalsFolder(PATHS)}/${name}.json`),
  );
});

test("a start removes what is on record of claudes of long ago, and keeps the rest", () => {
  const home = mkdtempSync(join(tmpdir(), "ccc-test-"));
  const files = diskFiles(process.pid);
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: home }, platform: process.platform });
  const age = (claude: string, days: number) => {
    const then = new Date(Date.now() - days * 24 * 3600 * 1000);
    utimesSync(terminalPath(paths, claude), then, then);
  };
  for (const claude of ["1", "2"]) startTerminal(files, paths, claude, claude, undefined);
  age("1", 31);
  age("2", 29);
  startTerminal(files, paths, "3", "3", undefined);
  expect(files.list(terminalsFolder(paths)).sort()).toEqual(["2.json", "3.json"]);
  rmSync(home, { recursive: true });
});
