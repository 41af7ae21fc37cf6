/** The library that knows where in a JSON text something stands. Loaded late: a launch seldom needs it. */
export function jsonEditing(): typeof import("jsonc-parser") {
  return require("jsonc-parser");
}
