/** A provider as another tool has it. */
export interface FoundProvider {
  /** Its name there. */
  readonly label: string;
  /** Its variables, as written there. */
  readonly env: Readonly<Record<string, unknown>>;
  /** Where its key is, in ccc's words, if the tool itself names a variable instead of a key. */
  readonly reference?: string | undefined;
  /** Other settings that it has there, which ccc does not take over. */
  readonly others: readonly string[];
  /** Why it cannot be a provider of ccc, if the tool itself says so. */
  readonly problem?: string | undefined;
}

/** What a tool has, and the file that says so. */
export interface FoundTool {
  /** The tool, as people call it. */
  readonly title: string;
  readonly path: string;
  readonly providers: readonly FoundProvider[];
}

export const OPENAI_FORMAT = "it speaks OpenAI's format, which Claude Code does not";
