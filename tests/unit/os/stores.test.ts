import { Database } from "bun:sqlite";
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CccError } from "../../../src/errors.ts";
import { keychainOf, queryDatabase } from "../../../src/os/stores.ts";

describe("keychain", () => {
  test("secrets are kept in the system's keychain under the name of ccc", async () => {
    using get = spyOn(Bun.secrets, "get").mockImplementation(async () => "a key");
    using set = spyOn(Bun.secrets, "set").mockImplementation(async () => {});
    using remove = spyOn(Bun.secrets, "delete").mockImplementation(async () => true);
    for (const env of [{}, { CCC_KEYCHAIN: "1" }, { CCC_KEYCHAIN: "" }]) {
      const keychain = keychainOf(env);
      expect(await keychain.get("glm")).toBe("a key");
      await keychain.set("glm", "new");
      await keychain.remove("glm");
    }
    expect([get.mock.calls.length, set.mock.calls.length, remove.mock.calls.length]).toEqual([3, 3, 3]);
    expect(set.mock.calls[0]).toEqual([{ service: "ccc", name: "glm", value: "new" }]);
  });

  test("a user who has switched it off is not asked by the system", async () => {
    using get = spyOn(Bun.secrets, "get").mockImplementation(async () => "a key");
    const keychain = keychainOf({ CCC_KEYCHAIN: "0" });
    for (const action of [keychain.get("glm"), keychain.set("glm", "new"), keychain.remove("glm")])
      await expect(action).rejects.toThrow("CCC_KEYCHAIN is 0");
    expect(get).not.toHaveBeenCalled();
  });
});

describe("sqlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "ccc-sqlite-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  function filled(name: string, mode: "delete" | "wal"): { path: string; database: Database } {
    const path = join(folder, name);
    const database = new Database(path);
    database.run(`PRAGMA journal_mode = ${mode}`);
    database.run("CREATE TABLE t (a TEXT)");
    database.run("INSERT INTO t VALUES ('one')");
    return { path, database };
  }

  function problem(path: string, query = "SELECT a FROM t"): string {
    try {
      queryDatabase(path, query);
      return "none";
    } catch (error) {
      return error instanceof CccError ? `${error.message} ${error.advice}` : String(error);
    }
  }

  test("rows are read, and nothing appears beside the file", () => {
    const { path, database } = filled("plain.db", "delete");
    database.close();
    expect(queryDatabase(path, "SELECT a FROM t")).toEqual([{ a: "one" }]);
    expect(readdirSync(folder).filter((name) => name.startsWith("plain"))).toEqual(["plain.db"]);
  });

  test("the same with a write-ahead log, open or closed; what only the log has is read too", () => {
    const { path, database } = filled("log.db", "wal");
    const names = () => readdirSync(folder).filter((name) => name.startsWith("log"));
    const open = names();
    expect(open).toContain("log.db-wal");
    expect(queryDatabase(path, "SELECT a FROM t")).toEqual([{ a: "one" }]);
    expect(names()).toEqual(open);
    database.close();
    expect(queryDatabase(path, "SELECT a FROM t")).toEqual([{ a: "one" }]);
    expect(names()).toEqual(["log.db"]);
  });

  test("a locked, damaged, foreign or missing database is reported in words", () => {
    const { path, database } = filled("locked.db", "delete");
    database.run("BEGIN EXCLUSIVE");
    expect(problem(path)).toBe(
      `${path} is locked: another program is writing to it Close that program, then try again. Nothing was changed.`,
    );
    database.run("COMMIT");
    expect(problem(path, "SELECT x FROM providers")).toStartWith(
      `${path} has a layout that ccc does not know: no such table: providers`,
    );
    database.close();
    const bad = join(folder, "bad.db");
    writeFileSync(bad, "certainly no database, but long enough to have a header of twenty bytes and more");
    expect(problem(bad)).toStartWith(`${bad} is not a SQLite database, or it is damaged`);
    writeFileSync(bad, "");
    expect(problem(bad)).toContain("has a layout that ccc does not know");
    expect(problem(join(folder, "none.db"))).toStartWith("cannot read ");
  });

  test("a query cannot change the database", () => {
    const { path, database } = filled("kept.db", "delete");
    database.close();
    expect(problem(path, "DELETE FROM t")).toStartWith(`${path} cannot be read: `);
    expect(queryDatabase(path, "SELECT a FROM t")).toEqual([{ a: "one" }]);
  });
});
