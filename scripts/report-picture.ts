import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../src/sandbox/sandbox.ts";
import { openBrowser } from "../tests/browser.ts";
import { inTurn } from "../tests/in-turn.ts";
import { supervisedPlace } from "../tests/supervised.ts";

/**
 * Makes docs/report.webp: runs a supervised session of the real Claude Code on a scripted model, with a failing check and two
 * reviews, and takes a screenshot of its report. `bun scripts/report-picture.ts [FILE…]`; further files get dark mode and a phone.
 */

const usage = (input_tokens: number, cache_read_input_tokens: number, output_tokens: number) => ({
  usage: { input_tokens, cache_read_input_tokens, output_tokens },
});
const bash = (command: string, description: string, delayMs = 0): Turn => ({
  use: "Bash",
  input: { command, description },
  delayMs,
});

const PROMPT = `Invoices round VAT line by line, so that totals are a cent off. Round once per VAT rate.
Remove the old CSV importer, nobody uses it. Mention the change in the README.`;

const FILES: Readonly<Record<string, string>> = {
  "README.md": "# invoices\n\nTotals of invoices, with VAT.\n",
  "src/total.js": `export function vat(lines) {
  return lines.reduce((sum, { net, rate }) => sum + Math.round(net * rate) / 100, 0);
}
`,
  "src/import-csv.js": "export const importCsv = (text) => text.split('\\n').map((line) => line.split(';'));\n",
  "test/total.test.js": `import { vat } from "../src/total.js";

const lines = [0.33, 0.33, 0.33].map((net) => ({ net, rate: 19 }));
const isRight = vat(lines) === 0.19;
console.log(isRight ? "ok" : "not ok", "- VAT is rounded once per rate");
if (!isRight) console.log("  expected 0.19, got", vat(lines));
process.exitCode = isRight ? 0 : 1;
`,
  "test/import-csv.test.js": `import { importCsv } from "../src/import-csv.js";

const cells = importCsv("a;b\\nc;d").flat();
process.exitCode = cells.join() === "a,b,c,d" ? 0 : 1;
`,
};

const GROUPED = `cat > src/total.js <<'END'
export function vat(lines) {
  const nets = {};
  for (const { net, rate } of lines) nets[rate] = (nets[rate] ?? 0) + net;
  return Object.entries(nets).reduce((sum, [rate, net]) => sum + Math.round(net * rate) / 100, 0);
}
END`;

const AGENT: readonly Turn[] = [
  bash("git rm -q src/import-csv.js test/import-csv.test.js", "Remove the importer", 1_500),
  { say: "The importer is gone, and VAT is rounded once.", delayMs: 2_500 },
  bash(GROUPED, "Round once per rate", 4_000),
  { say: "Fixed: VAT is now rounded once per rate. All tests pass.", delayMs: 1_500 },
  bash("printf '\\nVAT is rounded once per rate.\\n' >> README.md", "Mention it", 2_000),
  { say: "The README mentions it now.", delayMs: 1_000 },
];

const criteria = (readme: "met" | "unmet") => [
  {
    id: "C1",
    text: "VAT is rounded once per rate",
    status: "met" as const,
    evidence: "src/total.js groups by rate before Math.round; the test with three lines of 0.33 passes",
  },
  {
    id: "C2",
    text: "The CSV importer is removed",
    status: "met" as const,
    evidence: "git status: src/import-csv.js deleted",
  },
  {
    id: "C3",
    text: "The README mentions the change",
    status: readme,
    evidence: readme === "met" ? "README.md, last line" : "README.md is as it was",
  },
  {
    id: "T1",
    text: "test/import-csv.test.js was deleted",
    status: "met" as const,
    evidence: "it tested only the importer, which the user asked to remove",
  },
];

const REVIEWER: readonly Turn[] = [
  { ...bash("git diff HEAD", "See the changes", 900), ...usage(380, 14_200, 60) },
  { use: "Read", input: { file_path: "README.md" }, delayMs: 600, ...usage(610, 14_600, 45) },
  {
    verdict: {
      completed: false,
      feedback: "The rounding is right and the importer is gone. README.md does not mention the change yet.",
      criteria: criteria("unmet"),
    },
    delayMs: 1_500,
    ...usage(240, 15_200, 310),
  },
  { ...bash("git diff HEAD", "See the changes", 900), ...usage(420, 16_900, 50) },
  {
    verdict: { completed: true, feedback: "All that was asked for is done.", criteria: criteria("met") },
    delayMs: 1_200,
    ...usage(260, 17_300, 240),
  },
];

const [picture = "docs/report.webp", dark, phone] = process.argv.slice(2);
await using place = await supervisedPlace(inTurn({ agent: AGENT, reviewer: REVIEWER }));
// The path is visible in the picture.
const folder = await mkdtemp(join(tmpdir(), "work-"));
const project = join(folder, "invoices");
for (const [name, text] of Object.entries(FILES)) await place.write(join(project, name), text);
const git = (...args: string[]) => $`git -c user.name=n -c user.email=e ${args}`.cwd(project).quiet();
await git("init", "-q");
await git("add", "-A");
await git("commit", "-qm", "start");
const options = ["--supervisor", "--check", "node test/total.test.js", "glm"];
const run = await place.ccc([...options, "-p", PROMPT, "--allowedTools", "Bash"], { cwd: project });
if (run.exitCode !== 0) throw new Error(run.stderr);
const page = place.at("report.html");
const made = await place.ccc(["report", "--html", page], { cwd: project });
if (made.exitCode !== 0) throw new Error(made.stderr);

const browser = await openBrowser();
const tab = await browser.newPage();
await tab.goto(`file://${encodeURI(page)}`);
await shoot(picture, "light", 960, 1);
if (dark !== undefined) await shoot(dark, "dark", 960, 1);
if (phone !== undefined) await shoot(phone, "light", 390, 2);
await browser.close();
await rm(folder, { recursive: true });

async function shoot(file: string, scheme: "light" | "dark", width: number, deviceScaleFactor: number): Promise<void> {
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.setViewport({ width, height: 800, deviceScaleFactor });
  await tab.screenshot({ path: file as `${string}.webp`, type: "webp", quality: 85, fullPage: true });
}
