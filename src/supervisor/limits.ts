import { cloudOf } from "../claude/connection.ts";
import { type ApiFailure, classifyFailure, rejectedKey, serverWords } from "../claude/failures.ts";
import { transcriptEnd } from "../claude/transcript.ts";
import { asObject, type Json } from "../text/json.ts";
import { withoutUrlSecrets } from "../text/redact.ts";
import type { World } from "../world.ts";
import { NO_APPROVAL } from "./outcome.ts";
import type { SessionRecord, WaitedLimit } from "./record/session.ts";

/** The failure that claude is retrying after, in the words of the API. */
interface RetriedFailure extends ApiFailure {
  readonly text: string;
  /** Which retry it is, if that is known. */
  readonly attempt: number | undefined;
}

/** The failure that claude is retrying after, from the end of its transcript: the stream has only its status. */
export function retriedFailure({ files, now }: Pick<World, "files" | "now">, transcript: string) {
  const error = transcriptEnd(files.readEnd(transcript, LONGEST_END).split("\n")).retryError();
  return error && { ...error, ...classifyFailure(error, now()) };
}

const LONGEST_END = 100_000;

/**
 * Why a run whose key is refused should end now, in the words of `ccc doctor`; undefined if a retry may help. Before the
 * first retry Claude Code fetches the key again, which may have changed. Some quotas are a 403, too: there the text
 * decides.
 */
export function refusedKey(
  failure: Pick<RetriedFailure, "status" | "attempt"> & Partial<RetriedFailure>,
  settings: Json,
  clean: (text: string) => string,
): string | undefined {
  const { status, attempt = FIRST_WITH_NEW_KEY, kind, text = "" } = failure;
  const isRefused = kind === undefined ? status === 401 : kind === "refused";
  if (!isRefused || status === undefined || attempt < FIRST_WITH_NEW_KEY) return undefined;
  const env = asObject(settings.env) as Readonly<Record<string, string>>;
  // A cloud renews its credentials.
  if (cloudOf(env) !== undefined) return undefined;
  const server = env.ANTHROPIC_BASE_URL || "https://api.anthropic.com";
  // Before it is cut: half a key would not be recognized.
  const words = clean(serverWords(text)).slice(0, LONGEST_WORDS);
  const { what, advice } = rejectedKey(clean(withoutUrlSecrets(server)), status, words);
  return `${what}. ${advice}`;
}

const FIRST_WITH_NEW_KEY = 2;
const LONGEST_WORDS = 500;

/** The wait for one limit so far. It starts over when the agent makes progress. */
export type LimitSoFar = Omit<WaitedLimit, "ended">;

/** The agent's next message on another provider. */
export const CONTINUE = `${NO_APPROVAL}\n\nContinue where you left off.`;

/** The agent's next message after a wait. In the transcript it looks like a prompt of the user. */
export const LIMIT_RESET = `${NO_APPROVAL}\n\nThe usage limit has reset. Continue where you left off.`;

export const NOT_WAITED: LimitSoFar = { waits: 0, seconds: 0 };

/** Between attempts if nothing says when the limit ends; the last one repeats. */
const STEPS_MINUTES = [1, 2, 5, 10, 15];
/** Times in errors are given in whole seconds. */
const MARGIN_SECONDS = 1;
const TRUSTED_TIMES = 2;

/** Until when to wait for a limit, in seconds; undefined if that is too long. */
export function limitEnd(
  resetAt: number | undefined,
  { waits, seconds }: LimitSoFar,
  now: number,
  allowed: number,
): number | undefined {
  const left = allowed - seconds;
  if (left <= 0) return undefined;
  if (resetAt === undefined) return now + Math.min(step(waits), left);
  if (resetAt - now > left) return undefined;
  // The limit did not end when the provider said it would: wait longer each time.
  const least = waits < TRUSTED_TIMES ? 0 : Math.min(step(waits - TRUSTED_TIMES), left);
  return Math.max(resetAt + MARGIN_SECONDS, now + least);
}

function step(waits: number): number {
  return 60 * (STEPS_MINUTES[Math.min(waits, STEPS_MINUTES.length - 1)] ?? 0);
}

/** Why a model cannot continue a session of another model. */
export type SessionProblem = "thinking" | "images" | "length";

/**
 * Whether an error says that this model cannot continue a session of another: its server insists on thinking in answers
 * of models that gave none, or does not take images, or Claude Code could not make the session short enough. Claude Code
 * itself drops images only if the error says "Could not process image".
 */
export function sessionProblem(text: string): SessionProblem | undefined {
  if (NEEDS_THINKING.test(text)) return "thinking";
  if (NO_IMAGES.test(text)) return "images";
  return /prompt is too long/i.test(text) ? "length" : undefined;
}

/** What the user can do about it. */
export const SESSION_ADVICE: Readonly<Record<SessionProblem, string>> = {
  thinking:
    "This server wants the thinking of its own model in every answer of the session: switch thinking off (MAX_THINKING_TOKENS=0), or continue on another provider",
  images:
    "This model cannot see the images in the session: run /compact on the provider that it began on, or continue on one whose model can see",
  length:
    "The session is longer than this model's context: run /compact on the provider that it began on, or continue on one with a larger context",
};

const NEEDS_THINKING =
  /(thinking|reasoning_content)\S{0,3} in the thinking mode must be passed back|reasoning_content is missing|expected `?thinking`? or `?redacted_thinking/i;
const NO_IMAGES =
  /(not|n't) support (image|vision|multimodal)|image input is not|unknown variant `image|(input tag|type) '?"?image(_url)?'?"? .{0,40}(not|unsupported|unexpected)|不支持.{0,10}(图片|图像|视觉)/i;

/** The wait so far, if it ended a moment ago: then it is the same limit. */
export function limitSoFar({ limit }: SessionRecord, now: number): LimitSoFar {
  const found = limit.read();
  return found !== undefined && now - found.ended < SAME_LIMIT_SECONDS ? found : NOT_WAITED;
}

/** Claude Code's own retries take three minutes. */
const SAME_LIMIT_SECONDS = 600;
