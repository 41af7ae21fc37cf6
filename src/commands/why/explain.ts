import type { Credential, Sent } from "../../claude/sent.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { isReference } from "../../providers/references.ts";
import { shownReference } from "../../providers/shown-reference.ts";
import type { Kind } from "../../providers/variables.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { redact } from "../../text/redact.ts";
import { MASK, maskSecret } from "../../text/secret.ts";
import { HELPER, type Setting, type Source, STORED_LOGIN } from "./collect-settings.ts";
import { type Effect, explainLaunch, explainPlain, lost } from "./effects.ts";

/** Which key goes where, and what decides it. `--json` prints it; no value in it is secret. */
export interface Explanation {
  /** Null if there is none yet; `ccc` is null then, too. */
  readonly provider: string | null;
  /** Requests of `ccc <provider>`. */
  readonly ccc: Requests | null;
  /** Requests of plain `claude`. */
  readonly claude: Requests;
  readonly settings: readonly Explained[];
}

export interface Requests {
  /** Why the launch would be refused, or null. */
  readonly refused: string | null;
  /** The URL of the server, or the name of a cloud. */
  readonly to: string;
  readonly to_from: Origin | null;
  readonly authorization: ShownCredential | null;
  readonly x_api_key: ShownCredential | null;
  /** Whether both headers carry the same key. */
  readonly same_key: boolean;
}

export interface Origin {
  readonly name: string;
  readonly source: Source;
  /** The provider for which `ccc use` wrote it, or null. */
  readonly by: string | null;
}

export interface ShownCredential extends Origin {
  readonly value: string;
}

/** One name, and every place that sets it, the weakest first. */
export interface Explained {
  readonly name: string;
  readonly kind: Kind;
  readonly set: readonly ShownSetting[];
}

export interface ShownSetting {
  readonly source: Source;
  readonly path: string;
  readonly value: string;
  readonly by: string | null;
  readonly ccc: Effect | null;
  readonly claude: Effect;
}

export function explain(all: readonly Setting[], planned: ProviderLaunch | null): Explanation {
  const launch = planned && explainLaunch(all, planned);
  const refused = planned?.problem?.message ?? null;
  const plain = explainPlain(all);
  const secrets = all.filter(isSecret).map(({ value }) => value);
  const describe = (setting: Setting): ShownSetting => ({
    source: setting.source,
    path: setting.path,
    value: isSecret(setting) ? shown(setting) : redact(shown(setting), secrets),
    by: setting.by,
    ccc: launch && (refused === null ? launch.effect(setting) : lost("not launched")),
    claude: plain.effect(setting),
  });
  const settings = [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => ({
    name,
    kind: same[0]?.kind ?? "credential",
    set: same.map(describe),
  }));
  return {
    provider: planned?.provider ?? null,
    ccc: launch && requests(launch.sent, refused, secrets),
    claude: requests(plain.sent, null, secrets),
    settings: settings.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1)),
  };
}

const BODY = "CLAUDE_CODE_EXTRA_BODY";
const KINDS: readonly Kind[] = ["credential", "route", "model"];

function requests(sent: Sent<Setting>, refused: string | null, secrets: readonly string[]): Requests {
  return {
    refused,
    to: redact(sent.to, secrets),
    to_from: sent.toFrom === undefined ? null : origin(sent.toFrom),
    authorization: refused === null ? credential(sent.authorization) : null,
    x_api_key: refused === null ? credential(sent.apiKey) : null,
    same_key: refused === null && isSameKey(sent),
  };
}

/** The output of a helper is unknown, but it is the same in both headers. */
function isSameKey({ authorization, apiKey }: Sent<Setting>): boolean {
  if (authorization === undefined || apiKey === undefined) return false;
  const token = authorization.value.replace(/^Bearer +/i, "");
  return token === apiKey.value && (token !== "" || authorization.from === apiKey.from);
}

function credential(found: Credential<Setting> | undefined): ShownCredential | null {
  if (found === undefined) return null;
  const isWhole = found.value === "" || found.value === found.from.value;
  // A custom header is only a part of its setting. A helper is not run for this, so its output is unknown.
  return { ...origin(found.from), value: isWhole ? shown(found.from) : maskSecret(found.value) };
}

function origin({ name, source, by }: Setting): Origin {
  return { name, source, by };
}

function shown(setting: Setting): string {
  const { name, value } = setting;
  if (value === "") return "";
  if (name === HELPER) return "a command";
  if (name === STORED_LOGIN) return "a subscription";
  if (name === BODY) return MASK;
  if (isReference(value)) return shownReference(value);
  return isSecret(setting) ? maskSecret(value) : withoutUrlSecrets(value);
}

/** A reference is not secret: it only says where the key is. The extra request body may contain a key. */
function isSecret({ name, kind, value }: Setting): boolean {
  return (kind === "credential" && !isReference(value)) || name === BODY;
}
