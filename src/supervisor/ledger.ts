/** "dropped": no longer asked for. */
export const CRITERION_STATUSES = ["met", "unmet", "dropped"] as const;

/** Something that must be true for the work to be done, as the last review that ruled on it saw it. */
export interface Criterion {
  /** "C1". The ids of what ccc itself noticed begin with T. */
  readonly id: string;
  readonly text: string;
  readonly status: (typeof CRITERION_STATUSES)[number];
  /** What the reviewer saw. */
  readonly evidence: string;
  /** In how many reviews in a row it was not met. */
  readonly unmet_reviews: number;
  /** What identifies the files at the last of them; null if that is not known. */
  readonly unmet_files: string | null;
  /** For what ccc noticed: how many prompts of the user there were then, and the content that it is about. */
  readonly noticed_at?: number | undefined;
  readonly content?: string | undefined;
}

/** What a review says about a criterion. */
export interface Ruling {
  /** Empty for a new one. */
  readonly id: string;
  readonly text: string;
  readonly status: Criterion["status"];
  readonly evidence: string;
}

export function newCriterion(id: string, text: string): Criterion {
  return { id, text, status: "unmet", evidence: "", unmet_reviews: 0, unmet_files: null };
}

/** "3 of 5 met"; undefined if there are no criteria. */
export function tally(criteria: readonly Pick<Criterion, "status">[]): string | undefined {
  const { met, of } = countMet(criteria);
  return of === 0 ? undefined : `${met} of ${of} met`;
}

/** How many are met, of those that still count. */
export function countMet(criteria: readonly Pick<Criterion, "status">[]) {
  const counted = criteria.filter(({ status }) => status !== "dropped");
  return { met: counted.filter(({ status }) => status === "met").length, of: counted.length };
}

export function unmet(criteria: readonly Criterion[]): Criterion[] {
  return criteria.filter(({ status }) => status === "unmet");
}

/** Whether it stands for something that ccc noticed, not for something that the user asked for. */
export function isNoticed({ id }: Pick<Criterion, "id">): boolean {
  return id.startsWith("T");
}

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

/**
 * The criteria that a text states: the lines `- [ ] …` of its section "Done means". The section ends at the next heading
 * of the same or a higher level.
 */
export function doneMeans(markdown: string): string[] {
  const found: string[] = [];
  let level = 0;
  let isCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const [, marks, title = ""] = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? [];
    if (marks !== undefined) {
      if (isDoneMeans(title)) level = marks.length;
      else if (marks.length <= level) level = 0;
    } else if (isDoneMeans(line)) {
      // Prompts are often without headings: "Done means:" starts a section too.
      level = LOWEST;
    }
    const [, item] = /^\s*[-*+]\s+\[[ xX]\]\s+(.+)$/.exec(line) ?? [];
    if (level > 0 && item !== undefined) found.push(item.trim().slice(0, LONGEST_CRITERION));
  }
  return [...new Set(found)];
}

function isDoneMeans(title: string): boolean {
  return /^\W*done means\W*$/i.test(title);
}

const LOWEST = 6;
export const LONGEST_CRITERION = 300;

/** What must be true for the work of a session to be done, kept across its reviews. */
export interface Ledger {
  readonly criteria: readonly Criterion[];
  /** How many criteria of each kind there have been: ids are not used twice. */
  readonly numbered: number;
  readonly noticed: number;
  /** How many prompts of the user the last review knew. */
  readonly prompts: number;
}

export const EMPTY_LEDGER: Ledger = { criteria: [], numbered: 0, noticed: 0, prompts: 0 };

/** Something that ccc noticed and a review has to rule on. */
export interface Noticed {
  readonly text: string;
  /** What identifies the content that it is about, if the text does not show it. */
  readonly content?: string | undefined;
}

/** What is known before a review. */
export interface BeforeReview {
  /** How many prompts the user has written. */
  readonly prompts: number;
  /** Whether the last review said done, so that its criteria are settled. */
  readonly isSettled: boolean;
  /** What must be true of all work, as the instructions say. */
  readonly standing: readonly string[];
  /** What the user says must be true, in prompts that are new. That list is complete. */
  readonly stated: readonly string[];
  readonly noticed: readonly Noticed[];
}

/** The ledger as a review gets it. */
export interface OpenLedger extends Ledger {
  /** Whether the review may add criteria of its own. */
  readonly canAdd: boolean;
  /** Criteria that it may drop, because the user has written a new prompt since. */
  readonly canDrop: readonly string[];
}

/** Prepares the ledger for a review: only a prompt of the user changes the list. */
export function openLedger(ledger: Ledger, before: BeforeReview): OpenLedger {
  const isNew = before.prompts > ledger.prompts;
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  const kept = isNew && before.isSettled ? [] : asked.map((each) => (isNew ? restarted(each) : each));
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const stated = new Set([...before.standing, ...before.stated]);
  for (const { text } of kept) stated.delete(text);
  const texts = isNew ? [...[...stated].slice(0, MOST_STATED), ...earlier.map(inherited)] : [];
  const added = texts.map((text, at) => newCriterion(`C${ledger.numbered + at + 1}`, text));
  return {
    criteria: [...kept, ...added, ...findings],
    numbered: ledger.numbered + added.length,
    noticed,
    prompts: Math.max(before.prompts, ledger.prompts),
    canAdd: isNew ? before.stated.length === 0 : kept.length === 0,
    canDrop: isNew ? kept.map(({ id }) => id) : [],
  };
}

const MOST_STATED = 30;
const MOST_NOTICED = 20;

/** The ledger after a stop that no review ruled on: what ccc noticed at it stays open, also after the next prompt. */
export function withNoticed(ledger: Ledger, before: Pick<BeforeReview, "prompts" | "noticed">): Ledger {
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  return { ...ledger, criteria: [...asked, ...earlier, ...findings], noticed };
}

/**
 * What ccc notices now, with the rulings that still hold, and what it noticed about earlier prompts and no review has
 * accepted. That is not noticed again, because the files are now compared with those at the new prompt, where the test is
 * already gone.
 */
function noticedIn(ledger: Ledger, { prompts, noticed: now }: Pick<BeforeReview, "prompts" | "noticed">) {
  const known = ledger.criteria.filter(isNoticed);
  const isCurrent = ({ noticed_at = ledger.prompts }: Criterion) => noticed_at === prompts;
  let { noticed } = ledger;
  const findings = now.slice(0, MOST_NOTICED).map(({ text, content }): Criterion => {
    const found = known.find((each) => each.text === text);
    const holds = found === undefined || (isCurrent(found) && found.content === content);
    const { id, ...others } = found ?? newCriterion(`T${++noticed}`, text);
    return { id, ...others, ...(holds ? {} : { status: "unmet", evidence: "" }), content, noticed_at: prompts };
  });
  const isOpen = (each: Criterion) => each.status === "unmet" && !isCurrent(each);
  const earlier = known.filter((each) => isOpen(each) && !now.some(({ text }) => text === each.text));
  return { findings, earlier, noticed };
}

function inherited({ text }: Criterion): string {
  return `undone, or explained by what the user asked for: ${text}`;
}

function restarted(criterion: Criterion): Criterion {
  return { ...criterion, unmet_reviews: 0, unmet_files: null };
}

/** Applies the rulings of a review to its ledger. `files` identifies the files as they are now. */
export function ruleOn(
  open: OpenLedger,
  rulings: readonly Ruling[],
  { disputed, files }: { readonly disputed: readonly string[]; readonly files: string | null },
): Ledger {
  const ruled = new Map<string, Ruling>();
  const others: Ruling[] = [];
  for (const ruling of rulings) {
    const meant = criterionOf(open.criteria, ruling);
    if (meant === undefined) others.push(ruling);
    else ruled.set(meant.id, ruling);
  }
  const mayDrop = (id: string) => open.canDrop.includes(id) || disputed.includes(id);
  const criteria = open.criteria.map((each) => {
    const ruling = ruled.get(each.id);
    // One that the review leaves out, or may not drop, keeps its status.
    if (ruling === undefined || (ruling.status === "dropped" && !mayDrop(each.id))) return each;
    return decided(each, ruling, files);
  });
  const room = open.canAdd ? Math.max(0, MOST_CRITERIA - criteria.length) : 0;
  const added = others.filter(({ text, status }) => text !== "" && status !== "dropped").slice(0, room);
  let { numbered } = open;
  const own = added.map((ruling) => {
    // The reviewer's own numbers, where they are free: its feedback may refer to them.
    const wanted = /^C(\d{1,3})$/i.exec(ruling.id)?.[1];
    numbered = Math.max(numbered + 1, Number(wanted ?? 0));
    return decided(newCriterion(`C${numbered}`, ruling.text), ruling, files);
  });
  const isAsked = (each: Criterion) => !isNoticed(each);
  const all = [...criteria.filter(isAsked), ...own, ...criteria.filter(isNoticed)];
  return { criteria: all, numbered, noticed: open.noticed, prompts: open.prompts };
}

const MOST_CRITERIA = 30;

/** By its id, or by its text: a model may renumber them. */
function criterionOf(criteria: readonly Criterion[], { id, text }: Ruling): Criterion | undefined {
  const byId = criteria.find((each) => each.id.toLowerCase() === id.toLowerCase());
  return byId ?? criteria.find((each) => text !== "" && each.text === text);
}

function decided(criterion: Criterion, { status, evidence }: Ruling, files: string | null): Criterion {
  const counts =
    status === "unmet"
      ? { unmet_reviews: criterion.unmet_reviews + 1, unmet_files: files }
      : { unmet_reviews: 0, unmet_files: null };
  return { ...criterion, status, evidence, ...counts };
}

/**
 * The criteria that agent and reviewer cannot settle: not met in `limit` reviews in a row, or in two without a change of
 * the files in between. `before` and `after` are the criteria around a review.
 */
export function deadlocked(before: readonly Criterion[], after: readonly Criterion[], limit: number): Criterion[] {
  if (limit === 0) return [];
  return after.filter((now) => {
    if (now.status !== "unmet" || now.unmet_reviews < 2) return false;
    const earlier = before.find(({ id }) => id === now.id);
    const wasRuledOn = earlier !== undefined && now.unmet_reviews > earlier.unmet_reviews;
    const hasSameFiles = now.unmet_files !== null && now.unmet_files === earlier?.unmet_files;
    return wasRuledOn && (now.unmet_reviews >= limit || hasSameFiles);
  });
}
