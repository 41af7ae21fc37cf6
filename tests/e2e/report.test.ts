import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { cccPaths } from "../../src/config/paths.ts";
import { diskFiles } from "../../src/os/files.ts";
import { type LaunchRecord, openSession } from "../../src/supervisor/record/session.ts";
import { openStop } from "../../src/supervisor/record/stops.ts";
import { openBrowser } from "../browser.ts";
import { newPlace, type Place, provider } from "../harness.ts";

/** Counts the requests that leave the page. */
let requests = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => {
    requests++;
    return new Response("");
  },
});
const URL_OF_SERVER = `http://127.0.0.1:${server.port}`;

const PLANTED = [
  "<script>window.ran = 1</script>",
  `<img src="${URL_OF_SERVER}/leak" onerror="window.ran = 1">`,
  "</style></title></pre><svg onload='window.ran = 1'>",
  `" onmouseover="window.ran = 1" '`,
  "<a href='javascript:window.ran = 1'>javascript:window.ran = 1</a>",
  `<iframe src=${URL_OF_SERVER}/frame></iframe><!-- ]]>`,
].join(" ");
const IN_PAGE = await readFile(join(import.meta.dir, "../in-page.js"), "utf8");
const HIDDEN = "safe\u202egnp.exe";
const KEY = "key-of-glm-0123456789";

let browser: Browser;
let place: Place;
let page: Page;

beforeAll(async () => {
  [browser, place] = await Promise.all([openBrowser(), newPlace()]);
  await place.config({ providers: { glm: provider({ url: URL_OF_SERVER }, KEY) } });
  await record(place);
});

afterAll(async () => {
  await server.stop(true);
  await browser.close();
  await place[Symbol.asyncDispose]();
});

/** A session in which all untrusted text is hostile. */
async function record({ home, project }: Place): Promise<void> {
  const files = diskFiles(process.pid);
  const paths = cccPaths({ env: { HOME: home }, platform: "linux" });
  const session = openSession(files, paths, "0d9f7a52-aaaa-4bbb-8ccc-0123456789ab");
  const launch: LaunchRecord = {
    cwd: project,
    provider: "glm",
    engine: "hook",
    claude: "/bin/claude",
    version: "2.1.325",
    reviewer: "glm",
    same_model: true,
    fallback: [],
    checks: { commands: [], left_out: [] },
    environment: { salt: "", plain: {}, hashed: [] },
    instructions: { path: null, text: "" },
  };
  session.launch.save(launch);
  let minutes = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 12, minutes++));
  const prompt = { prompt_id: "p", by_user: true, mode: null };
  const long = `long ${"x".repeat(1_000_000)}`;
  for (const text of [`fix ${KEY} ${PLANTED} ${HIDDEN}`, long])
    session.prompts.append({ at: now().toISOString(), text, ...prompt });
  const open = () =>
    openStop({ pid: 1, now }, session, { promptId: "p", clean: (value) => value, write: (action) => action() });
  const usage = {
    inputTokens: 900,
    cacheReadTokens: 8_000,
    cacheWriteTokens: 0,
    outputTokens: 100,
    costUsd: undefined,
  };
  const criterion = (id: string, status: "met" | "unmet", text = PLANTED) => {
    return { id, text, status, evidence: `${PLANTED} ${HIDDEN}`, unmet_reviews: 0, unmet_files: null };
  };
  const check = {
    command: `test ${PLANTED}`,
    ending: "exit 1",
    isPassed: false,
    seconds: 3,
    output: `${PLANTED}\n${long}`,
  };
  const looked = [`Read: ${PLANTED}`, long];
  const reviewed = { usage, seconds: 41, total: { seconds: 41, tokens: 9_000 }, looked, reviewer: `glm${PLANTED}` };
  const text = `${PLANTED} was deleted`;
  const file = { from: undefined, added: 1, deleted: 2, kind: "modified" } as const;

  const failed = open();
  failed.note({ limit: 10, checks: [check] });
  failed.close({ kind: "rework", round: 1, feedback: PLANTED, check: PLANTED, criteria: [], ...reviewed });
  const back = open();
  back.note({ limit: 10, way: "shared", feedback: `${PLANTED}\n${long}`, checks: [{ ...check, isPassed: true }] });
  const before = [criterion("C1", "met"), criterion("C2", "unmet", "The docs are current")];
  back.close({ kind: "rework", round: 2, feedback: PLANTED, criteria: before, ...reviewed });
  const done = open();
  done.note({
    limit: 10,
    way: "fresh",
    feedback: "All there.",
    changes: {
      since: now().toISOString(),
      more: 7,
      files: [PLANTED, HIDDEN, `${"deep/".repeat(80)}name.ts`].map((path) => ({ path, ...file })),
      suspicious: [{ kind: "deleted test", path: PLANTED, text }],
    },
  });
  const after = [criterion("C1", "met"), criterion("C2", "met", "The docs are current"), criterion("T1", "met", text)];
  done.close({ kind: "done", rounds: 3, feedback: "All there.", criteria: after, ...reviewed, instead: PLANTED });
}

test("--html writes a private file as a whole; --open hands it to the system's opener, and failures say where it is", async () => {
  expect(await place.ccc(["report", "--html", "out/report.html"])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: `ccc: wrote ${join(place.project, "out/report.html")}\n`,
  });
  const path = join(place.project, "out/report.html");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(place.project)).mode & 0o777).not.toBe(0o700);

  const opener = join(place.bin, "xdg-open");
  await place.write(opener, '#!/bin/sh\nprintf %s "$1" > "$HOME/opened"; exit $CODE\n');
  await chmod(opener, 0o755);
  const opened = await place.ccc(["report", "0d9f", "--open"], { env: { CODE: "0" } });
  expect(opened).toMatchObject({ exitCode: 0, stdout: "" });
  const temporary = await readFile(place.at("opened"), "utf8");
  expect(opened.stderr).toBe(`ccc: wrote ${temporary}\n`);
  expect(await readFile(temporary, "utf8")).toBe(await readFile(path, "utf8"));
  expect((await stat(dirname(temporary))).mode & 0o777).toBe(0o700);
  const refused = await place.ccc(["report", "--open", "--html", path], { env: { CODE: "3" } });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain(`ccc: cannot open the report: xdg-open failed (exit 3)\n`);
  expect(refused.stderr).toContain(`Open it yourself: ${path}\n`);

  await symlink("/dev/null", join(place.project, "link"));
  const wrong: [args: string[], exitCode: number, message: string][] = [
    [["--html", "."], 2, "is a folder"],
    [["--html", "link"], 2, "is not a regular file"],
    [["--html", ""], 2, "--html needs the name of a file"],
    [["--json", "--open"], 2, "--json cannot be combined with --open"],
    [["nosuch"], 1, 'no supervised session on record begins with "nosuch"'],
  ];
  for (const [args, exitCode, message] of wrong) {
    const result = await place.ccc(["report", ...args]);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, ""]);
    expect(result.stderr).toContain(message);
  }
});

test("whatever prompts, names, output and reviewers say is text: nothing runs and no request is made, even without the policy", async () => {
  const path = place.at("report.html");
  await place.ccc(["report", "--html", path]);
  const source = await readFile(path, "utf8");
  expect(source).not.toContain(KEY);
  expect(source.length).toBeLessThan(400_000);
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\n`;
  expect(source).toContain(policy);
  await place.write(place.at("without.html"), source.replace(policy, ""));

  page = await browser.newPage();
  const noticed: string[] = [];
  page.on("console", (message) => noticed.push(message.text()));
  page.on("pageerror", (error) => noticed.push(String(error)));
  page.on("request", (request) => noticed.push(request.url()));
  const addresses = [place.at("without.html"), path].map((file) => Bun.pathToFileURL(file).href);
  for (const address of addresses) {
    await page.goto(address);
    const { hasRun, active, text } = await look();
    expect({ hasRun, active }).toEqual({ hasRun: false, active: 0 });
    expect(text.split(PLANTED).length).toBeGreaterThan(15);
    for (const shown of ["fix *** <script>", "safe\\u{202e}gnp.exe", "more characters …]"])
      expect(text.includes(shown)).toBe(true);
    expect(/[\u202a-\u202e\u2066-\u2069]/.test(text)).toBe(false);
  }
  expect(noticed).toEqual(addresses);

  // Should something ever get past the escaping, the policy stops it.
  await page.evaluate(`{
    const script = document.createElement("script");
    script.textContent = "window.ran = 1";
    const image = document.createElement("img");
    image.src = "${URL_OF_SERVER}/leak";
    document.body.append(script, image);
  }`);
  expect((await look()).hasRun).toBe(false);
  expect(noticed.join("\n")).toContain("violates the following Content Security Policy directive");
  expect(requests).toBe(0);
});

test("the page shows the facts in both color schemes, on a phone without scrolling sideways, with enough contrast", async () => {
  await page.reload();
  const backgrounds = new Set<string>();
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const width of [390, 1_100]) {
      await page.setViewport({ width, height: 800 });
      const facts = await look();
      expect(facts).toMatchObject({ width, weak: [] });
      backgrounds.add(facts.background);
    }
  }
  expect(backgrounds.size).toBe(2);

  const { visible, marks, language, headings, unnamed } = await look();
  const facts = [
    ...["Done\n", "3 of 3 criteria met after 3 reviews", "Prompt 1", "Prompt 2", "Review 1 of 10: check failed"],
    ...["Review 2 of 10: not done, 1 of 2 met", "The docs are current", "All there.", "1 suspicious change"],
    ...["and 7 more", "Time and tokens", "agent on glm", "3m\n", "2m3s", "27k"],
  ];
  expect(facts.filter((fact) => !visible.includes(fact))).toEqual([]);
  expect(marks).toEqual([
    ["", "met", "met"],
    ["", "unmet", "met"],
    ["", "", "met"],
  ]);
  expect({ language, unnamed }).toEqual({ language: "en", unnamed: 0 });
  expect(headings.filter((level, index) => level > (headings[index - 1] ?? 0) + 1)).toEqual([]);
});

interface PageFacts {
  readonly hasRun: boolean;
  /** Elements that do something or load something. */
  readonly active: number;
  readonly text: string;
  readonly visible: string;
  readonly width: number;
  readonly background: string;
  /** Texts with too little contrast. */
  readonly weak: readonly string[];
  /** The status of each criterion in each round. */
  readonly marks: readonly (readonly string[])[];
  readonly language: string;
  /** The levels of the headings. */
  readonly headings: readonly number[];
  /** Symbols and table headers that a screen reader could not explain. */
  readonly unnamed: number;
}

async function look(): Promise<PageFacts> {
  return (await page.evaluate(IN_PAGE)) as PageFacts;
}
