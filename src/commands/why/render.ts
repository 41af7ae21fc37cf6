import { columns, wrap } from "../../text/table.ts";
import type { Explained, Explanation, ShownSetting } from "./explain.ts";
import { type PlaceName, placeName } from "./place-name.ts";
import { noProviderSentence, requestsSentence } from "./sentences.ts";
import { settingTable } from "./setting-table.ts";

/** An explanation as text: first where the keys go, then the settings that compete. */
export function renderExplanation({ provider, ccc, claude, settings }: Explanation, width: number): string {
  const place = placeName(provider);
  const isElsewhere = ({ source, value }: ShownSetting) => source !== "provider" && value !== "";
  const contested = settings.filter(({ set }) => set.some(isElsewhere));
  const rest = settings.filter((each) => !contested.includes(each));
  const sentences = [
    ccc === null ? `ccc: ${noProviderSentence(settings)}` : `ccc ${provider}: ${requestsSentence(ccc, place)}`,
    `claude: ${requestsSentence(claude, place)}`,
  ];
  const nothing = `Nothing${provider === null ? "" : " else"} sets a key, an address or a model.`;
  const paragraphs = [
    ...sentences.map((each) => wrap(each, width)),
    ...contested.map((each) => settingTable(each, provider, place, width)),
    [...(contested.length === 0 ? [nothing] : alone(rest, place)), ...blanks(rest, place)]
      .map((line) => wrap(line, width))
      .join("\n"),
    files(contested, place, width),
  ];
  return `${paragraphs
    .filter((text) => text !== "")
    .map((text) => text.trimEnd())
    .join("\n\n")}\n`;
}

function alone(rest: readonly Explained[], place: PlaceName): string[] {
  const names = rest.filter(({ set }) => set.some(({ value }) => value !== "")).map(({ name }) => name);
  return names.length === 0 ? [] : [`Set only in ${place({ source: "provider", by: null })}: ${names.join(", ")}`];
}

/** Variables that are deliberately set to an empty value. */
function blanks(rest: readonly Explained[], place: PlaceName): string[] {
  const blank = rest.flatMap(({ name, set }) => set.flatMap((each) => (each.value === "" ? [{ ...each, name }] : [])));
  const where = (each: ShownSetting) =>
    each.by === null ? `Blank in ${place(each)}` : `Blanked by ccc use ${each.by}`;
  return [...Map.groupBy(blank, where)].map(([label, same]) => `${label}: ${same.map(({ name }) => name).join(", ")}`);
}

/** The paths of the files named above. */
function files(settings: readonly Explained[], place: PlaceName, width: number): string {
  const named = settings.flatMap(({ set }) =>
    set.map(({ path, source }) => [path, place({ source, by: null }).replace(/^ccc\.json .*/, "ccc.json")] as const),
  );
  const paths = new Map(named);
  paths.delete("");
  return columns(
    [...paths].map(([path, name]) => [name, path]),
    width,
  );
}
