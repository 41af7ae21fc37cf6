/**
 * The one door to what a plain launch does not need. Behind one door it is one piece of the program, and the launch
 * another; each door more would cut the launch into more pieces, and each piece costs time to load. By `require`,
 * because a launch has nothing to wait for.
 */
export function lazy(): typeof import("./lazy-modules.ts") {
  return require("./lazy-modules.ts");
}
