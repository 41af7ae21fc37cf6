/** What the doctor finds about one thing. The names are stable: scripts may look for them. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do, where there is something to do. */
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
