declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.ps1" {
  const text: string;
  export default text;
}

declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}

/** Only the parser: the formatter would add a third of Bun's own start time. */
declare module "jsonc-parser/lib/esm/impl/parser.js" {
  export { parse, parseTree } from "jsonc-parser";
}
