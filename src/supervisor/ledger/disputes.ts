import type { Criterion } from "./criterion.ts";

/** A criterion that the agent says is wrong, and why. */
export interface Dispute {
  readonly id: string;
  readonly reason: string;
}

/** The disputes in the agent's message, as lines like "C2 disputed: the user asked for JSON". Only open criteria count. */
export function disputesIn(message: string, criteria: readonly Pick<Criterion, "id" | "status">[]): Dispute[] {
  const found = new Map<string, string>();
  for (const [, id = "", reason = ""] of message.matchAll(/^[^\w\n]*([CT]\d+)\W{0,4}\s*disputed\W{0,4}\s*(.*)$/gim)) {
    found.set(id.toUpperCase(), reason.replace(/[*_`\s]+$/, "").slice(0, LONGEST_REASON));
  }
  return criteria.flatMap(({ id, status }) => {
    const reason = found.get(id);
    return reason === undefined || status !== "unmet" ? [] : [{ id, reason }];
  });
}

const LONGEST_REASON = 500;
