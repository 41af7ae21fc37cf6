/**
 * Lazily loaded modules, in one chunk: whatever a plain launch does not need. A second entry point would make the bundler
 * split the launch itself into more chunks, and each chunk costs time to load. `require` keeps the launch synchronous.
 */
export function lazy(): typeof import("./lazy-modules.ts") {
  return require("./lazy-modules.ts");
}
