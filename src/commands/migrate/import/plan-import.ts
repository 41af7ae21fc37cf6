import { configuredModel } from "../../../claude/model.ts";
import { freeName, guessName, typeableName } from "../provider-names.ts";
import type { FoundProvider } from "./found-elsewhere.ts";
import { type Importable, judgeProvider } from "./judge-provider.ts";

/** A provider in ccc.json. */
export interface KnownProvider {
  readonly name: string;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** The key as ccc.json has it, and what stands in the keychain for it. */
  readonly keys: readonly string[];
}

export interface ImportPlan {
  readonly add: readonly NewImport[];
  /** Those that ccc.json has already. */
  readonly known: readonly { readonly label: string; readonly name: string }[];
  readonly skipped: readonly { readonly label: string; readonly problem: string }[];
}

export interface NewImport extends Importable {
  readonly name: string;
}

export function planImport(found: readonly FoundProvider[], providers: readonly KnownProvider[]): ImportPlan {
  const add: NewImport[] = [];
  const known: ImportPlan["known"][number][] = [];
  const skipped: ImportPlan["skipped"][number][] = [];
  const all = [...providers];
  for (const each of found.map(judgeProvider)) {
    const { label } = each;
    if ("problem" in each) {
      skipped.push(each);
      continue;
    }
    const wanted = typeableName(label) ?? guessName(each.env);
    const same = all.find((other) => isSame(other, each, wanted));
    if (same === undefined) {
      const name = freeName(
        wanted,
        all.map((other) => other.name),
      );
      add.push({ ...each, name });
      all.push(asKnown(name, each));
    } else known.push({ label, name: same.name });
  }
  return { add, known, skipped };
}

function asKnown(name: string, { env, key, written }: Importable): KnownProvider {
  return { name, baseUrl: env.ANTHROPIC_BASE_URL, model: configuredModel(env), keys: [key ?? written ?? ""] };
}

/** The same account at the same server, with the same model; one of that name may have been given another model since. */
function isSame(known: KnownProvider, importable: Importable, wanted: string): boolean {
  const { baseUrl, model, keys } = asKnown(wanted, importable);
  if (known.baseUrl !== baseUrl || !keys.some((key) => known.keys.includes(key))) return false;
  return known.model === model || known.name === wanted;
}
