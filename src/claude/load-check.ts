import { asObject, parseJson } from "../text/json.ts";

/** Arguments with which claude tells how settings would authenticate it, without any request and without other settings. */
export function statusArguments(settings: string): string[] {
  return ["--setting-sources", "", "--settings", settings, "auth", "status", "--json"];
}

/** Whether its answer says that it has loaded settings with a key helper; undefined if it is not an answer. */
export function isHelperLoaded(answer: string): boolean | undefined {
  const { authMethod, apiKeySource } = asObject(parseJson(answer));
  return authMethod === undefined ? undefined : apiKeySource === "apiKeyHelper";
}

/** Arguments with which claude complains about settings that it does not load. */
export function complaintArguments(settings: string): string[] {
  return ["--setting-sources", "", "--settings", settings, "-p", "hi"];
}

/** For the complaint, which is followed by a request: nothing listens there. */
export const NOWHERE = {
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_AUTH_TOKEN: "none",
  CLAUDE_CODE_MAX_RETRIES: "0",
};

/** What it says about a settings file: "  /path/settings.json (permissions.allow): Expected array". */
export function complaintAbout(settings: string, stderr: string): string | undefined {
  const line = stderr.split("\n").find((each) => each.trim().startsWith(settings));
  return line?.trim().slice(settings.length).trim();
}
