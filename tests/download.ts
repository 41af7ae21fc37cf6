/** Replaces curl or wget on a machine that has neither: `download … -o <file> <url>`, `-O` for wget. */
const args = process.argv.slice(2);
const file = args[args.findIndex((word) => word.toLowerCase() === "-o") + 1] ?? "";
const response = await fetch(args.at(-1) ?? "");
if (!response.ok) {
  console.error(`error: ${response.status}`);
  process.exit(22);
}
await Bun.write(file, await response.bytes());

export {};
