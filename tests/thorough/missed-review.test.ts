import { expect, test } from "bun:test";
import { chmod, copyFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "../../src/text/shell.ts";
import { CCC, CLAUDE, inTurn } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const MISSED = "The previous answer was NOT reviewed";

test("a Stop hook that timed out is reported at the next prompt; Esc and API errors are not", async () => {
  const never = new Promise<void>(() => {});
  await using place = await supervisedPlace(({ role, body }) => {
    const heard = JSON.stringify(body.messages);
    if (role === "reviewer") return { say: "too late", after: never };
    if (heard.includes("fourth task")) return { say: "FOURTH ANSWER" };
    if (heard.includes("third task")) return { fail: 500, message: "out of order" };
    return { say: heard.includes("second task") ? "SECOND ANSWER" : "FIRST ANSWER" };
  });
  // The real claude, with a time-out for the Stop hook that a test can wait for.
  const timeout = `sed 's/"timeout": [0-9][0-9][0-9]*/"timeout": 5/' "$2" > "$HOME/short.json"; shift 2; set -- --settings "$HOME/short.json" "$@"`;
  await place.standIn(
    `[ "$1" = --plugin-dir ] && shift 2\n[ "$1" = --settings ] && { ${timeout}; }\nexec ${shellWord(await realpath(CLAUDE))} "$@"`,
  );
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
  const text = () => screen.text().replaceAll(/\s+/g, " ");
  const missed = () => text().split(MISSED).length - 1;

  await screen.shows("❯");
  await screen.submit("first task");
  await screen.shows("FIRST ANSWER");
  await screen.shows(/\w+ for \d+s/);
  expect(missed()).toBe(0);

  await screen.submit("second task");
  await screen.shows("SECOND ANSWER");
  expect(text()).toContain(`${MISSED}: ccc's Stop hook was killed before the review finished`);
  await screen.shows("supervisor is reviewing the work");
  screen.type("\u001b");
  await screen.shows("Interrupted");

  await screen.submit("third task");
  await screen.shows("out of order");
  await screen.submit("fourth task");
  await screen.shows("FOURTH ANSWER");
  expect(missed()).toBe(1);
});

test("a Stop hook that could not run is reported when the session continues", async () => {
  let ccc = "";
  await using place: SupervisedPlace = await supervisedPlace(({ role, body }) => {
    if (role === "reviewer") return DONE;
    if (JSON.stringify(body.messages).includes("tool_result")) return { say: "removed" };
    return { use: "Bash", input: { command: `rm ${shellWord(ccc)}`, description: "remove it" } };
  });
  ccc = join(place.bin, "another ccc");
  await copyFile(CCC, ccc);
  await chmod(ccc, 0o755);
  const work = ["--supervisor", "glm", "--allowedTools", "Bash", "-p", "work", "--output-format", "json"];
  const first = await place.ccc(work, { ccc });
  expect(first.exitCode).toBe(4);
  expect(first.stderr).toContain("NOT reviewed: Claude Code ended without running ccc's Stop hook");
  expect(place.reviews()).toBeEmpty();

  const { session_id } = JSON.parse(first.stdout);
  const stream = ["--output-format", "stream-json", "--verbose"];
  const second = await place.ccc(["--supervisor", "glm", "-p", "--resume", session_id, "go on", ...stream]);
  expect(second.stdout).toContain(`${MISSED}: Claude Code did not run ccc's Stop hook`);
  expect(place.reviews()).toHaveLength(1);

  const third = await place.ccc(["--supervisor", "glm", "-p", "--resume", session_id, "and on", ...stream]);
  expect(third.stdout).not.toContain(MISSED);
});

test("a session in which no hook ran is reported by the next launch in the folder, and by doctor", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
  // The real claude, without hooks for a reason that ccc does not see.
  const claude = shellWord(await realpath(CLAUDE));
  await place.standIn(`case "$1" in --settings) exec ${claude} --bare "$@";; *) exec ${claude} "$@";; esac`);
  const unheard = await place.ccc(["--supervisor", "glm", "-p", "work"]);
  expect(unheard).toMatchObject({ exitCode: 4, stdout: "ok\n" });
  expect(unheard.stderr).toContain("NOT reviewed: Claude Code ran none of ccc's hooks");
  expect(place.turns()).not.toBeEmpty();
  expect(place.reviews()).toBeEmpty();
  // doctor's live checks are tested elsewhere.
  await place.standIn('[ "$1" = --version ] && echo "2.1.325 (Claude Code)"');
  const { checks } = JSON.parse((await place.ccc(["doctor", "--json"])).stdout);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "recent reviews",
      status: "warn",
      detail: expect.stringContaining("none of ccc's hooks ran"),
    }),
  );

  await place.standIn(`exec ${claude} "$@"`);
  const warning = "was NOT reviewed: since the last supervised launch, Claude Code ran none of ccc's hooks in it";
  expect((await place.ccc(["--supervisor", "glm", "-p", "work"])).stderr).toContain(warning);
  expect(place.reviews()).toHaveLength(1);
  // Neither a session with hooks nor one without supervision is reported.
  await place.ccc(["glm", "-p", "work"]);
  expect((await place.ccc(["--supervisor", "glm", "-p", "work"])).stderr).not.toContain(warning);
});
