import { AGENT_SAYS, type Criterion, isNoticed, LONGEST_CRITERION, newCriterion } from "./criteria.ts";

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
  /** Identifies the content concerned, if the text does not show it. */
  readonly content?: string | undefined;
}

/** What a review is based on. */
export interface BeforeReview {
  /** All prompts of the user. */
  readonly prompts: readonly string[];
  /** The reviewer's instructions. Their section "Done means" applies to every prompt. */
  readonly instructions: string;
  /** Whether the last review said done, so that its criteria are settled. */
  readonly isSettled: boolean;
  readonly noticed: readonly Noticed[];
  /** Whether there is a new proof of the checks. Otherwise the findings of an earlier one remain. */
  readonly hasProof?: boolean;
}

/** The ledger as a review gets it. */
export interface OpenLedger extends Ledger {
  /** Whether the review may add criteria of its own. */
  readonly canAdd: boolean;
  /** Criteria that it may drop, because the user has written a new prompt since. */
  readonly canDrop: readonly string[];
  /** Whether it has the rulings of a first review of the same stop, which a second review has to make again. */
  readonly isReopened?: boolean;
}

/** What a review says about a criterion. */
export interface Ruling {
  /** Empty for a new one. */
  readonly id: string;
  readonly text: string;
  readonly status: Criterion["status"];
  readonly evidence: string;
}

/** Prepares the ledger for a review: only a prompt of the user changes the list. */
export function openLedger(ledger: Ledger, before: BeforeReview): OpenLedger {
  const prompts = before.prompts.length;
  const isNew = prompts > ledger.prompts;
  // A user who states criteria in a new prompt has listed them all.
  const stated = before.prompts.slice(ledger.prompts).flatMap(doneMeans);
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  const kept = isNew && before.isSettled ? [] : asked.map((each) => (isNew ? restarted(each) : each));
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const wanted = new Set([...doneMeans(before.instructions), ...stated]);
  for (const { text } of kept) wanted.delete(text);
  const texts = isNew ? [...[...wanted].slice(0, MOST_STATED), ...earlier.map(inherited)] : [];
  const added = texts.map((text, at) => newCriterion(`C${ledger.numbered + at + 1}`, text));
  return {
    criteria: [...kept, ...added, ...findings],
    numbered: ledger.numbered + added.length,
    noticed,
    prompts: Math.max(prompts, ledger.prompts),
    canAdd: isNew ? stated.length === 0 : kept.length === 0,
    canDrop: isNew ? kept.map(({ id }) => id) : [],
  };
}

/** The ledger after a stop that no review ruled on: what ccc noticed stays open, even after the next prompt. */
export function withNoticed(ledger: Ledger, before: Pick<BeforeReview, "prompts" | "noticed" | "hasProof">): Ledger {
  const { findings, earlier, noticed } = noticedIn(ledger, before);
  const asked = ledger.criteria.filter((each) => !isNoticed(each));
  return { ...ledger, criteria: [...asked, ...earlier, ...findings], noticed };
}

/** A ledger after a review. */
export interface RuledLedger {
  readonly ledger: Ledger;
  /** The ids that the review ruled on, as the ledger has them. */
  readonly ruled: readonly string[];
  /** Criteria that only an earlier review called met, for other or unknown files. */
  readonly outdated: readonly string[];
  /** The ledger for a second review of the stop. */
  readonly again: OpenLedger;
}

/** Applies the rulings of a review to its ledger. `files` identifies the files as they are now. */
export function ruleOn(
  open: OpenLedger,
  rulings: readonly Ruling[],
  { disputed, files }: { readonly disputed: readonly string[]; readonly files: string | null },
): RuledLedger {
  const ruled = new Map<string, Ruling>();
  const others: Ruling[] = [];
  const mayDrop = (id: string) => open.canDrop.includes(id) || disputed.includes(id);
  for (const ruling of rulings) {
    const meant = criterionOf(open.criteria, ruling);
    if (meant === undefined) others.push(ruling);
    else if (ruling.status === "dropped" && !mayDrop(meant.id)) continue;
    // Of two rulings on the same criterion, "unmet" counts.
    else if (ruled.get(meant.id)?.status !== "unmet") ruled.set(meant.id, ruling);
  }
  const criteria = open.criteria.map((each) => {
    const ruling = ruled.get(each.id);
    // One that the review leaves out, or may not drop, keeps its status.
    return ruling === undefined ? each : decided(each, ruling, files);
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
  const hasOtherFiles = ({ met_files = null }: Criterion) => met_files === null || met_files !== files;
  const isOutdated = (each: Criterion) => each.status === "met" && !ruled.has(each.id) && hasOtherFiles(each);
  const ledger = { criteria: all, numbered, noticed: open.noticed, prompts: open.prompts };
  return {
    ledger,
    again: reopened(open, ledger),
    ruled: [...ruled.keys(), ...own.map(({ id }) => id)],
    outdated: criteria.filter(isOutdated).map(({ id }) => id),
  };
}

/**
 * The ledger for a second review of the same stop, which has to rule on everything itself: no files are known to meet a
 * criterion yet, nothing is dropped, and the counts towards a stalemate are those before the first review.
 */
function reopened(open: OpenLedger, { criteria, numbered }: Ledger): OpenLedger {
  const again = criteria.map((each): Criterion => {
    const before = open.criteria.find(({ id }) => id === each.id);
    const { unmet_reviews = 0, unmet_files = null } = before ?? {};
    const isDropped = each.status === "dropped" && before?.status !== "dropped";
    const status = isDropped ? ({ status: "unmet", evidence: "" } as const) : {};
    return { ...each, ...status, met_files: null, unmet_reviews, unmet_files };
  });
  return { ...open, criteria: again, numbered, isReopened: true };
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

const MOST_STATED = 30;
/** As many suspicious changes as are listed, and a few claims. */
const MOST_NOTICED = 25;

/**
 * `findings`: what ccc notices now, with the rulings that still hold. `earlier`: what it noticed at earlier prompts and
 * no review has accepted. ccc does not notice that again, because it compares the files with those at the new prompt,
 * when the test was already gone.
 */
function noticedIn(ledger: Ledger, before: Pick<BeforeReview, "prompts" | "noticed" | "hasProof">) {
  const { noticed: now } = before;
  const prompts = before.prompts.length;
  const known = ledger.criteria.filter(isNoticed);
  const isCurrent = ({ noticed_at = ledger.prompts }: Criterion) => noticed_at === prompts;
  let { noticed } = ledger;
  const findings = now.slice(0, MOST_NOTICED).map(({ text, content }): Criterion => {
    const found = known.find((each) => each.text === text);
    const holds = found === undefined || (isCurrent(found) && found.content === content);
    const { id, ...others } = found ?? newCriterion(`T${++noticed}`, text);
    return { id, ...others, ...(holds ? {} : { status: "unmet", evidence: "" }), content, noticed_at: prompts };
  });
  const isGone = ({ text }: Criterion) => !now.some((each) => each.text === text);
  const proven =
    before.hasProof === true ? [] : known.filter((each) => isProven(each) && isCurrent(each) && isGone(each));
  const isOpen = (each: Criterion) => each.status === "unmet" && !isCurrent(each);
  const earlier = known.filter((each) => isOpen(each) && isGone(each));
  return { findings: [...proven, ...findings], earlier, noticed };
}

/** Whether it is something that runs of the checks have shown. */
function isProven({ text }: Criterion): boolean {
  return /^".*" (?:fails with the tests as they were|passes on the code as it was) at the prompt: /s.test(text);
}

function inherited({ text }: Criterion): string {
  const how = text.startsWith(AGENT_SAYS) ? "made true or corrected" : "undone";
  return `${how}, or explained by what the user asked for: ${text}`;
}

function restarted(criterion: Criterion): Criterion {
  return { ...criterion, unmet_reviews: 0, unmet_files: null };
}

/**
 * The criteria that a text states: the lines `- [ ] …` of its section "Done means". The section ends at the next heading
 * of the same or a higher level.
 */
function doneMeans(markdown: string): string[] {
  const found: string[] = [];
  let level = 0;
  let isCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const [, hashes, title = ""] = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? [];
    if (hashes !== undefined) {
      if (isDoneMeans(title)) level = hashes.length;
      else if (hashes.length <= level) level = 0;
    } else if (isDoneMeans(line)) {
      // Prompts often have no headings: "Done means:" starts a section too.
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

const MOST_CRITERIA = 30;

/**
 * Finds a criterion by its text, since a model may renumber them, or else by its id. An id with a clearly different text
 * means another criterion.
 */
function criterionOf(criteria: readonly Criterion[], { id, text }: Ruling): Criterion | undefined {
  const byText = criteria.find((each) => text !== "" && each.text === text);
  return byText ?? criteria.find((each) => each.id.toLowerCase() === id.toLowerCase() && isLike(each.text, text));
}

/** Whether two texts can mean the same. Models shorten, translate and rephrase them. */
function isLike(one: string, other: string): boolean {
  const isTranslated = HAN.test(one) !== HAN.test(other);
  const [fewer = [], more = []] = [one, other]
    .map((text) => wordsOf(text).filter((word) => !(isTranslated && HAN.test(word))))
    .toSorted((a, b) => a.length - b.length);
  const common = fewer.filter((word) => more.some((each) => isSameWord(each, word)));
  return common.length * 2 >= fewer.length;
}

const HAN = /\p{Script=Han}/u;

/** Names and paths are one word each, and so is every Chinese character. */
function wordsOf(text: string): string[] {
  const pieces = text.toLowerCase().match(/\p{Script=Han}|[^\s\p{Script=Han}()"'`,;:，。；：、（）“”]+/gu) ?? [];
  const words = pieces.map((piece) => piece.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
  return [...new Set(words.filter((word) => word !== "" && !FILLERS.has(word)))];
}

const FILLERS = new Set(
  "a an the is are be was were been it its that this there of to in on at for by as and or with must should has have all 的 了 是 在 和 有 已".split(
    " ",
  ),
);

/** "pass" and "passes", "a.ts" and "src/a.ts". */
function isSameWord(one: string, other: string): boolean {
  const [short = "", long = ""] = [one, other].toSorted((a, b) => a.length - b.length);
  return short === long || long.endsWith(`/${short}`) || (short.length > 2 && long.startsWith(short));
}

function decided(criterion: Criterion, { status, evidence }: Ruling, files: string | null): Criterion {
  const counts =
    status === "unmet"
      ? { unmet_reviews: criterion.unmet_reviews + 1, unmet_files: files }
      : { unmet_reviews: 0, unmet_files: null };
  return { ...criterion, status, evidence, ...counts, met_files: status === "met" ? files : null };
}
