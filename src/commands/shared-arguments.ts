export const JSON_FLAG = { type: "boolean", default: false, description: "print JSON for programs" } as const;

export const PROVIDER_OR_CURRENT = {
  type: "positional",
  required: false,
  description: "a provider in ccc.json (default: the current one)",
} as const;
