import type { CommandOptions } from "./command-options.ts";
import { refuseCommand } from "./refusal.ts";

const ALL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const GREP: CommandOptions = {
  // Not -R, which follows links out of the project.
  flags: "EFGPivwxcLloqsbHhnaIr",
  values: "mABCef",
  isNumeric: true,
  long: [
    ...["include", "exclude", "exclude-dir", "color", "colour", "count", "max-count", "regexp", "text", "quiet"],
    ...["after-context", "before-context", "context", "line-number", "with-filename", "no-filename", "recursive"],
    ...["files-with-matches", "files-without-match", "only-matching", "no-messages", "binary-files"],
    ...["ignore-case", "invert-match", "word-regexp", "line-regexp", "extended-regexp", "fixed-strings", "perl-regexp"],
  ],
};
const LINES: CommandOptions = { flags: "qvz", values: "nc", isNumeric: true, long: ["lines", "bytes", "quiet"] };

/**
 * Programs that only read and print, with the options that neither write, nor run a program, nor follow links. Claude
 * Code brings its own `grep` and `find`, which have a few more options.
 */
export const READERS: Readonly<Record<string, CommandOptions>> = {
  basename: { flags: "az", values: "s" },
  cat: { flags: "AbeEnstTuv", long: ["number", "show-all"] },
  cmp: { flags: "bls", values: "in" },
  comm: { flags: "123" },
  cut: { flags: "ns", values: "bcdf", long: ["delimiter", "fields", "complement", "output-delimiter"] },
  diff: { flags: "uNqwbBiacty", values: "UCW", long: ["unified", "brief", "color", "side-by-side", "no-dereference"] },
  dirname: { flags: "z" },
  echo: { flags: "", isFree: true },
  egrep: GREP,
  false: { flags: "" },
  fgrep: GREP,
  grep: GREP,
  head: LINES,
  ls: {
    flags: ALL,
    long: [
      "all",
      "almost-all",
      "color",
      "full-time",
      "group-directories-first",
      "human-readable",
      "recursive",
      "size",
      "sort",
      "time",
      "time-style",
    ],
  },
  nl: { flags: "p", values: "bdfhilnsvw" },
  printf: { flags: "", isFree: true },
  pwd: { flags: "LP" },
  realpath: { flags: "emqsz" },
  sort: {
    flags: "bdfghinrRsuVzcC",
    values: "kt",
    long: ["reverse", "unique", "numeric-sort", "key", "field-separator"],
  },
  stat: { flags: ALL, long: ["format", "printf", "terse", "dereference"] },
  tac: { flags: "br", values: "s" },
  tail: LINES,
  test: { flags: ALL },
  tr: { flags: "cCdst" },
  true: { flags: "" },
  uniq: { flags: "cdiuDz", values: "fsw", takesOperands: false, long: ["count", "repeated", "unique"] },
  wc: { flags: "clmwL", long: ["lines", "words", "bytes", "chars"] },
  which: { flags: "as" },
};

/** Allows only the expressions of `find` that read. */
export function checkFind(args: readonly string[]): void {
  const other = args.find((word) => /^-\D/.test(word) && !FIND.includes(word.slice(1)));
  if (other !== undefined) refuseCommand(`find with ${other}`);
}

const FIND = (
  "a and depth empty iname ipath iregex iwholename ls maxdepth mindepth mmin mtime name newer not o or path " +
  "perm print print0 printf prune regex size type user wholename"
).split(" ");

/** Allows `sed -n 10,20p FILE` alone: other scripts could write or run something. */
export function checkSed(args: readonly string[]): void {
  const [flag, script = "", ...files] = args;
  const isPrinting = flag === "-n" && /^((\d+|\$)(,(\d+|\$))?p;?)+$/.test(script);
  if (!isPrinting || files.some((word) => word.startsWith("-"))) refuseCommand("sed other than sed -n 10,20p FILE");
}
