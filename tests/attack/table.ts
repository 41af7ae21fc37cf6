import type { Campaign, Outcome } from "./campaign.ts";

export interface Row {
  readonly campaign: Campaign;
  readonly outcome: Outcome;
}

/** The results as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ campaign, outcome: { tried, failures } }) => {
    const held = tried - failures.length;
    return `| ${campaign.what} | ${tried.toLocaleString("en")} | ${held.toLocaleString("en")} | ${campaign.how} |`;
  });
  return ["| attack | tried | held | how |", "| --- | ---: | ---: | --- |", ...lines].join("\n");
}

/** What single tries came to. */
export function detailTable(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ outcome: { details = [] } }) =>
    details.map(({ what, came }) => `| \`${what.replaceAll("|", "\\|")}\` | ${came} |`),
  );
  return ["| command | what it came to |", "| --- | --- |", ...lines].join("\n");
}

/** The page with its table replaced. */
export function withTable(page: string, about: string, text: string, name = "attack"): string {
  const place = new RegExp(`(<!-- ${name}: [^\\n]*-->\\n)[\\s\\S]*(<!-- end of ${name} -->)`);
  if (!place.test(page)) throw new Error(`the page has no place for the table "${name}"`);
  return page.replace(place, (_, before, after) => `${before}${about}\n\n${text}\n${after}`);
}
