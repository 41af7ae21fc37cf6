/** Set in the reviewer's environment: a Stop hook that finds it belongs to the reviewer's own session. */
export const REVIEWER_MARK = "CCC_SUPERVISOR_HOOK";
