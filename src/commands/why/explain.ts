import type { Credential, Sent } from "../../claude/sent.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { isReference } from "../../providers/references.ts";
import { shownReference } from "../../providers/shown-reference.ts";
import type { Kind } from "../../providers/variables.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { redact } from "../../text/redact.ts";
import { MASK, maskSecret } from "../../text/secret.ts";
import { explainLaunch } from "./launch.ts";
import { explainPlain } from "./plain.ts";
import { lost, type Outcome } from "./result.ts";
import { HELPER, type Setting, type Source, STORED_LOGIN } from "./settings.ts";

/** Which key goes where, and who decides it. What `--json` prints; no value in it is secret. */
export interface Explanation {
  /** Null where there is none yet, and then so is all about ccc. */
  readonly provider: string | null;
  /** Of `ccc <provider>`. */
  readonly ccc: Requests | null;
  /** Of `claude` itself. */
  readonly claude: Requests;
  readonly settings: readonly Explained[];
}

export interface Requests {
  /** Why nothing would be started, where that is so. */
  readonly refused: string | null;
  /** The server, or the name of a cloud. */
  readonly to: string;
  readonly to_from: Origin | null;
  readonly authorization: ShownCredential | null;
  readonly x_api_key: ShownCredential | null;
  /** Whether both headers carry one and the same key. */
  readonly same_key: boolean;
}

export interface Origin {
  readonly name: string;
  readonly source: Source;
  /** The provider for which `ccc use` wrote it. */
  readonly by: string | null;
}

export interface ShownCredential extends Origin {
  readonly value: string;
}

/** One thing, and every place that sets it, the weakest first. */
export interface Explained {
  readonly name: string;
  readonly kind: Kind;
  readonly set: readonly Place[];
}

export interface Place {
  readonly source: Source;
  readonly path: string;
  readonly value: string;
  readonly by: string | null;
  readonly ccc: Outcome | null;
  readonly claude: Outcome;
}

export function explain(all: readonly Setting[], planned: ProviderLaunch | null): Explanation {
  const launch = planned && explainLaunch(all, planned);
  const refused = planned?.problem?.message ?? null;
  const plain = explainPlain(all);
  const secrets = all.filter(isSecret).map(({ value }) => value);
  const describe = (setting: Setting): Place => ({
    source: setting.source,
    path: setting.path,
    value: isSecret(setting) ? shown(setting) : redact(shown(setting), secrets),
    by: setting.by,
    ccc: launch && (refused === null ? launch.outcome(setting) : lost("not launched")),
    claude: plain.outcome(setting),
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

/** What a helper prints is not known, but it is the same for both. */
function isSameKey({ authorization, apiKey }: Sent<Setting>): boolean {
  if (authorization === undefined || apiKey === undefined) return false;
  const token = authorization.value.replace(/^Bearer +/i, "");
  return token === apiKey.value && (token !== "" || authorization.from === apiKey.from);
}

function credential(found: Credential<Setting> | undefined): ShownCredential | null {
  if (found === undefined) return null;
  const isWhole = found.value === "" || found.value === found.from.value;
  // A custom header is a part of its setting. What a helper prints is not known: it is not run for this.
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

/** A reference says where a key is and is none itself. Fields for a request's body may hold one. */
function isSecret({ name, kind, value }: Setting): boolean {
  return (kind === "credential" && !isReference(value)) || name === BODY;
}
