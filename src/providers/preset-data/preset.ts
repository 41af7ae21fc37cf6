import type { Models } from "../../claude/model.ts";

/** Everything ccc knows about a provider: its env block except the key. Plain data. */
export interface Preset {
  readonly name: string;
  readonly label: string;
  /** Other names that people search for, such as Chinese ones. */
  readonly aliases?: readonly string[];
  /** Absent if Claude Code needs none, or if only the user knows it. */
  readonly baseUrl?: string;
  /** There is no fixed address: the user must enter one. */
  readonly asksBaseUrl?: true;
  /** What that address looks like; {…} stands for a part that only the user knows, and may be entered alone. */
  readonly baseUrlForm?: string;
  /** The variable for the key. Absent if a login or cloud credentials are used. */
  readonly token?: "ANTHROPIC_AUTH_TOKEN" | "ANTHROPIC_API_KEY";
  /** A placeholder for servers that need no key. Claude Code requires one anyway. */
  readonly tokenDefault?: string;
  /** Other variables that the user must fill in. */
  readonly asks?: readonly string[];
  /** As in the provider's instructions; "main" only if they set it separately. The fable role is opus's unless set. */
  readonly models?: Models;
  /** The main model's, in tokens. */
  readonly contextWindow?: number | undefined;
  /** Within how many tokens a conversation is compacted. */
  readonly compactWindow?: number | undefined;
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Where to get a key. */
  readonly keyUrl?: string;
  /** Where these facts come from, and as of which day. */
  readonly source: string;
  readonly asOf: string;
  /** What the source leaves open, and where the rest comes from. */
  readonly note?: string;
}
