/** Data that is in no file of ccc: secrets in the system's keychain, rows in the databases of other programs. */

import { closeSync, copyFileSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { attempt, CccError, errno, messageOf } from "../errors.ts";
import { makeScratch } from "./files.ts";
import type { Env } from "./process.ts";

/** The system's store for secrets: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The system's keychain, unless the user has switched it off. */
export function keychainOf(env: Env): Keychain {
  return env.CCC_KEYCHAIN === "0" ? NONE : SYSTEM;
}

/** The name that ccc's secrets are filed under. */
const service = "ccc";

const SYSTEM: Keychain = {
  get: (name) => Bun.secrets.get({ service, name }),
  set: (name, value) => Bun.secrets.set({ service, name, value }),
  remove: async (name) => {
    await Bun.secrets.delete({ service, name });
  },
};

const switchedOff = async () => {
  throw new CccError("CCC_KEYCHAIN is 0");
};

const NONE: Keychain = { get: switchedOff, set: switchedOff, remove: switchedOff };

export type Row = Readonly<Record<string, unknown>>;

/** The rows that a query finds in another program's database. Neither the file nor its folder changes. */
export function queryDatabase(path: string, query: string): readonly Row[] {
  if (!attempt(`read ${path}`, () => hasWriteAheadLog(path))) return queried(path, path, query);
  // Even a reader would leave two files beside such a database. So a copy is read, with its log, which has the latest rows.
  const scratch = makeScratch();
  try {
    const copy = join(scratch.path, "copy.db");
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    copyFileSync(path, copy);
    return queried(copy, path, query);
  } finally {
    scratch.remove();
  }
}

/** Byte 18 of the header is the version that writers need. Version 2 has a write-ahead log. */
function hasWriteAheadLog(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, "r");
  try {
    return readSync(file, header, 0, header.length, 0) === header.length && header[18] === 2;
  } finally {
    closeSync(file);
  }
}

function queried(opened: string, path: string, query: string): readonly Row[] {
  // Required here: only this function needs the database engine, which takes time to load.
  const { Database } = require("bun:sqlite") as typeof import("bun:sqlite");
  try {
    using database = new Database(opened, { readonly: opened === path });
    database.run(`PRAGMA busy_timeout = ${LONGEST_WAIT_MS}`);
    return database.query<Row, []>(query).all();
  } catch (error) {
    throw databaseError(path, errno(error) ?? "", messageOf(error));
  }
}

const LONGEST_WAIT_MS = 1_000;

function databaseError(path: string, code: string, message: string): CccError {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new CccError(`${path} is locked: another program is writing to it`, {
      advice: "Close that program, then try again. Nothing was changed.",
    });
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new CccError(`${path} is not a SQLite database, or it is damaged`, { advice: "Nothing was changed." });
  }
  if (code === "SQLITE_ERROR") {
    return new CccError(`${path} has a layout that ccc does not know: ${message}`, {
      advice: "Another version of the program may have written it. Nothing was changed.",
    });
  }
  return new CccError(`${path} cannot be read: ${message}`, { advice: "Nothing was changed." });
}
