/** The result of one check. Names are stable: scripts may rely on them. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, advice: "" };
}

export function warn(name: string, detail: string, advice: string): Check {
  return { name, status: "warn", detail, advice };
}

export function fail(name: string, detail: string, advice: string): Check {
  return { name, status: "fail", detail, advice };
}
