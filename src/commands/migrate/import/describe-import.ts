import { configuredModel } from "../../../claude/model.ts";
import { isReference } from "../../../providers/references.ts";
import { shownReference } from "../../../providers/shown-reference.ts";
import { docsPage } from "../../../repository.ts";
import { counted } from "../../../text/counts.ts";
import { withoutUrlSecrets } from "../../../text/look-alikes.ts";
import { shortLine } from "../../../text/one-line.ts";
import { maskSecret } from "../../../text/secret.ts";
import { columns } from "../../../text/table.ts";
import { type FoundTool, OPENAI_FORMAT } from "./found-elsewhere.ts";
import type { ImportPlan, NewImport } from "./plan-import.ts";

/** A plan as text, keys masked. `places` says where each new key goes. */
export function describeImport(
  tool: FoundTool,
  plan: ImportPlan,
  places: ReadonlyMap<string, string>,
  width: number,
): string {
  const { add, known, skipped } = plan;
  const count = add.length + known.length + skipped.length;
  return [
    `${tool.title} has ${counted(count, "provider")} for Claude Code in ${tool.path}.\n`,
    section(
      "New",
      add.map((each) => row(each, places.get(each.name))),
      width,
    ),
    section(
      "Not taken over",
      add.filter(({ dropped }) => dropped.length > 0).map(({ name, dropped }) => [name, dropped.join(", ")]),
      width,
    ),
    section(
      "Already in ccc.json",
      known.map(({ label, name }) => [shownLabel(label), `as ${name}`]),
      width,
    ),
    section(
      "Skipped",
      skipped.map(({ label, problem }) => [shownLabel(label), problem]),
      width,
    ),
    skipped.some(({ problem }) => problem === OPENAI_FORMAT)
      ? `\nA gateway can translate OpenAI's format: ${GATEWAY_PAGE}\n`
      : "",
  ].join("");
}

const GATEWAY_PAGE = docsPage("providers.md#a-gateway-that-translates");

/** Everything in it may come from another tool's file: no cell may contain terminal codes or line breaks. */
function section(title: string, rows: readonly (readonly string[])[], width: number): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? "  " : "") + shortLine(cell, LONGEST_CELL)),
  );
  return `\n${title}:\n${columns(cells, width)}`;
}

function row({ name, label, env, key, written = "" }: NewImport, place: string | undefined): string[] {
  const shown = shownLabel(label);
  const unstored = isReference(written) ? shownReference(written) : "(no key needed)";
  return [
    shown === name ? name : `${name} (${shown})`,
    env.ANTHROPIC_BASE_URL === undefined ? "(Anthropic)" : withoutUrlSecrets(env.ANTHROPIC_BASE_URL),
    configuredModel(env) ?? "(default model)",
    key === undefined ? unstored : `${maskSecret(key)} → ${place}`,
  ];
}

function shownLabel(label: string): string {
  return shortLine(label, LONGEST_LABEL) || "(no name)";
}

const LONGEST_LABEL = 40;
const LONGEST_CELL = 300;
