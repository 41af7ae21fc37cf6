import { describe, expect, test } from "bun:test";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newPlace } from "../../harness.ts";

const SESSION = "abc123";
const FOLDER = ".claude/ccc";
const NO = '{"type":"result","subtype":"success","structured_output":{"completed":false,"feedback":"F"}}';

/** A place with a reviewer that says no, and two ways to call the hook: standalone, and as a launch configures it. */
async function hookPlace() {
  const place = await newPlace();
  await place.standIn(`head -n 1 > /dev/null; echo '${NO}'`);
  const event = JSON.stringify({ session_id: SESSION, cwd: place.project, prompt_id: "p1" });
  const call = (...args: string[]) => place.ccc(["supervisor-hook", ...args], { stdin: event });
  return {
    ...place,
    folder: join(place.project, FOLDER),
    state: join(place.project, FOLDER, `supervisor-${SESSION}.json`),
    alone: () => call(),
    recorded: () => call("--config-dir", place.at(".claude")),
    stops: async () => {
      const text = await readFile(place.at(`.claude/ccc/sessions/${SESSION}/stops.jsonl`), "utf8");
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
  };
}

type HookPlace = Awaited<ReturnType<typeof hookPlace>>;

/** Runs a test with both ways to call the hook. */
function both(name: string, body: (place: HookPlace, hook: "alone" | "recorded") => Promise<void>) {
  for (const hook of ["alone", "recorded"] as const) {
    test(`${name} (${hook})`, async () => {
      await using place = await hookPlace();
      await body(place, hook);
    });
  }
}

describe("nothing is written through a link:", () => {
  both("the state", async (place, hook) => {
    await writeFile(place.at(".bashrc"), "precious");
    await mkdir(place.folder, { recursive: true });
    await symlink(place.at(".bashrc"), place.state);
    expect((await place[hook]()).stdout).toContain("block");
    expect(await readFile(place.at(".bashrc"), "utf8")).toBe("precious");
  });

  both("output and log", async (place, hook) => {
    await mkdir(place.folder, { recursive: true });
    for (const name of [`supervisor-${SESSION}-output.jsonl`, "supervisor.log"]) {
      await writeFile(place.at(name), "precious");
      await symlink(place.at(name), join(place.folder, name));
    }
    expect((await place[hook]()).stdout).toContain("block");
    for (const name of [`supervisor-${SESSION}-output.jsonl`, "supervisor.log"])
      expect(await readFile(place.at(name), "utf8")).toBe("precious");
  });

  both("a hard link", async (place, hook) => {
    await mkdir(place.folder, { recursive: true });
    await writeFile(place.at("precious"), "precious");
    await link(place.at("precious"), join(place.folder, `supervisor-${SESSION}-output.jsonl`));
    expect((await place[hook]()).stdout).toContain("block");
    expect(await readFile(place.at("precious"), "utf8")).toBe("precious");
  });

  for (const linked of [".claude", ".claude/ccc"]) {
    both(`${linked} itself, whose target gets no file and keeps its mode`, async (place, hook) => {
      const target = place.at("shared");
      await mkdir(target, { mode: 0o755 });
      await mkdir(join(place.project, linked, ".."), { recursive: true });
      await symlink(target, join(place.project, linked));
      expect((await place[hook]()).stdout).toContain("block");
      expect(await readdir(target)).toEqual([]);
      expect((await stat(target)).mode & 0o777).toBe(0o755);
    });
  }
});

describe("a folder that existed before", () => {
  both("keeps its mode, and does not show in git", async (place, hook) => {
    await Bun.$`git init -q ${place.project}`;
    await mkdir(place.folder, { recursive: true });
    await chmod(place.folder, 0o755);
    await writeFile(join(place.folder, "mine.txt"), "");
    await place[hook]();
    expect((await stat(place.folder)).mode & 0o777).toBe(0o755);
    await Bun.$`git -C ${place.project} add -A`;
    const staged = await Bun.$`git -C ${place.project} diff --cached --name-only`.text();
    expect(staged).toBe(`${FOLDER}/mine.txt\n`);
  });
});

describe("no special file makes the hook hang:", () => {
  const special: [name: string, plant: (path: string) => Promise<unknown>][] = [
    ["a pipe", (path) => Bun.$`mkfifo ${path}`],
    ["a link to /dev/zero", (path) => symlink("/dev/zero", path)],
    ["a folder", (path) => mkdir(path)],
    ["a link to itself", (path) => symlink(path, path)],
  ];
  for (const [name, plant] of special) {
    both(`${name} in the place of every file in the project`, async (place, hook) => {
      await mkdir(place.folder, { recursive: true });
      const names = [".json", ".json.lock", ".json.lock.takeover", "-output.jsonl"];
      for (const each of names) await plant(join(place.folder, `supervisor-${SESSION}${each}`));
      for (const each of ["supervisor.log", ".gitignore"]) await plant(join(place.folder, each));
      await plant(join(place.project, "SUPERVISOR.md"));
      expect((await place[hook]()).stdout).toContain("block");
    });
  }

  both("an empty lock from the future", async (place, hook) => {
    await mkdir(place.folder, { recursive: true });
    await writeFile(`${place.state}.lock`, "");
    await utimes(`${place.state}.lock`, new Date("2999-01-01"), new Date("2999-01-01"));
    const { stdout, stderr } = await place[hook]();
    expect(stdout).toContain("block");
    expect(stderr).not.toContain("holds");
  });
});

describe("every stop is recorded:", () => {
  test("with a review", async () => {
    await using place = await hookPlace();
    await place.recorded();
    const [came, ended] = await place.stops();
    expect(ended).toMatchObject({ stop: came.stop, outcome: "rework", round: 1, feedback: "F" });
  });

  test("with a killed hook: a start without an end", async () => {
    await using place = await hookPlace();
    await place.standIn('head -n 1 > /dev/null; kill -9 "$PPID"; sleep 0.1');
    await place.recorded();
    expect(await place.stops()).toEqual([
      { stop: expect.any(String), at: expect.any(String), pid: expect.any(Number), prompt_id: "p1" },
    ]);
  });

  test("over the limit, which is logged too", async () => {
    await using place = await hookPlace();
    await place.config({ providers: { glm: {} }, supervisor: { max_iterations: 1 } });
    await place.recorded();
    await place.recorded();
    expect((await place.stops()).at(-1)).toMatchObject({ outcome: "limit" });
    expect(await readFile(join(place.folder, "supervisor.log"), "utf8")).toContain("Stopped after 1 review: NOT done");
  });

  test("without a review, and why", async () => {
    await using place = await hookPlace();
    await place.standIn("head -n 1 > /dev/null; echo 'no conversation found' >&2; exit 1");
    await place.recorded();
    expect((await place.stops()).at(-1)).toMatchObject({
      outcome: "unreviewed",
      why: expect.stringContaining("no conversation found"),
    });
  });
});

test("an agent cannot end the reviews by setting the count to the limit", async () => {
  await using place = await hookPlace();
  await place.recorded();
  await writeFile(
    place.state,
    JSON.stringify({ session_id: SESSION, count: 10, created_at: "", updated_at: "", prompt_id: "p1", feedback: [] }),
  );
  expect((await place.recorded()).stdout).toContain("block");
  expect(JSON.parse(await readFile(place.state, "utf8")).count).toBe(2);
});
