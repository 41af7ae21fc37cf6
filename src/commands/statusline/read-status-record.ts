import type { Paths } from "../../config/ccc-paths.ts";
import { pinOf } from "../../config/pins.ts";
import { type LastUsage, lastUsagePath, readLastUsage } from "../../providers/usage/last-usage.ts";
import { type ReviewNow, readReviewNow } from "../../supervisor/record/review-now.ts";
import { sessionRecord, terminalPath } from "../../supervisor/record/session-record.ts";
import { asObject, type Json, parseJson } from "../../text/json.ts";

/** What is known of a session, as far as the status line shows it. */
export interface StatusRecord {
  readonly provider: string | undefined;
  /** Whether the next stop is reviewed. */
  readonly isSupervised: boolean;
  readonly review: ReviewNow | undefined;
  /** Whether the user, or an event, has prompted the agent since that review. */
  readonly isPrompted: boolean;
}

/** What the launch says itself. Where it says nothing, the record counts, which may be that of an earlier launch. */
export interface Launched {
  readonly provider: string | undefined;
  readonly isSupervised: boolean | undefined;
  /** The process id of claude, if it is in a terminal. */
  readonly claude: string | undefined;
}

/** What `ccc usage` last found out about a provider. */
export function readProvidersUsage(paths: Paths, provider: string | undefined): LastUsage | undefined {
  if (provider === undefined || !/^[\w.-]+$/.test(provider)) return undefined;
  return readLastUsage(read(lastUsagePath(paths, provider)) ?? "");
}

/** Whether a session's folder is pinned to its provider. Links are not resolved: `ccc pin` writes paths without any. */
export function isPinned(paths: Paths, session: PinnedSession, platform: NodeJS.Platform): boolean {
  if (session.folder === undefined) return false;
  const text = read(paths.config) ?? "";
  if (!text.includes('"folders"')) return false;
  const folders = Object.entries(asObject(asObject(parseJson(text)).folders)).map(([folder, pin]) => {
    const { provider, only } = asObject(pin);
    return { folder, provider: String(typeof pin === "string" ? pin : provider), only: only === true };
  });
  return pinOf(session.folder, folders, { platform, resolve: (path) => path })?.provider === session.provider;
}

interface PinnedSession {
  readonly folder: string | undefined;
  readonly provider: string | undefined;
}

/** Reads the few small files that matter, without node:fs: loading it takes a third of Bun's own start time. */
export function readStatusRecord(paths: Paths, session: string | undefined, launched: Launched): StatusRecord {
  if (session === undefined)
    return { ...NOTHING, provider: launched.provider, isSupervised: launched.isSupervised ?? false };
  const files = sessionRecord(paths, session);
  const isKnown = launched.provider !== undefined && launched.isSupervised !== undefined;
  const launch = isKnown ? undefined : read(files.launch);
  return {
    provider: launched.provider ?? providerIn(asObject(parseJson(launch ?? ""))) ?? terminalsProvider(paths, launched),
    isSupervised: switchedTo(read(files.switch)) ?? launched.isSupervised ?? launch !== undefined,
    review: readReviewNow(read(files.now) ?? ""),
    isPrompted: modified(files.prompts) > modified(files.now),
  };
}

const NOTHING = { review: undefined, isPrompted: false };

/** What the user said in the session counts more than how it was launched. */
function switchedTo(text = ""): boolean | undefined {
  const { is_on: isOn } = asObject(parseJson(text));
  return typeof isOn === "boolean" ? isOn : undefined;
}

/** That of a session which is not supervised. */
function terminalsProvider(paths: Paths, { claude }: Launched): string | undefined {
  const record = claude === undefined ? undefined : read(terminalPath(paths, claude));
  return providerIn(asObject(asObject(parseJson(record ?? "")).launch));
}

function providerIn({ provider }: Json): string | undefined {
  return typeof provider === "string" && provider !== "" ? provider : undefined;
}

/** The text of a file; undefined if there is none. */
function read(path: string): string | undefined {
  const file = Bun.file(path);
  // A pipe has no size, and reading it would block.
  if (file.lastModified === NEVER || file.size === Number.POSITIVE_INFINITY) return undefined;
  try {
    return new TextDecoder().decode(Bun.mmap(path));
  } catch {
    return readThroughNode(path);
  }
}

/** For Windows, where Bun cannot map files. */
function readThroughNode(path: string): string | undefined {
  try {
    const fs: typeof import("node:fs") = require("node:fs");
    return fs.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function modified(path: string): number {
  const time = Bun.file(path).lastModified;
  return time === NEVER ? 0 : time;
}

/** What Bun returns for a file that does not exist. */
const NEVER = 2 ** 52 - 1;
