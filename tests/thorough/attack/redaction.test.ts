import { describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../../src/sandbox/sandbox.ts";
import { inTurn, newPlace, newSandbox, type Place, provider } from "../../harness.ts";
import { DONE, supervisedPlace } from "../../supervised.ts";

const LOOP = ["--supervisor", "--engine", "loop", "glm"];
const NOWHERE = { url: "http://127.0.0.1:9" };

/** All files below a folder, as one text. */
async function contentOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((path) => readFile(path, "utf8")))).join("\n");
}

describe("a loop in which agent and reviewer print every key", () => {
  const KEYS = {
    agent: "sk-agent-0123456789",
    reviewer: "sk-reviewer-0123456789",
    another: 'sk-another-"0123456789',
    shell: "sk-shell-0123456789",
    header: "sk-header-0123456789",
    body: "sk-body-0123456789",
    proxy: "proxy-pass-0123456789",
  };
  const all = Object.values(KEYS).join(" and ");

  type Reference = (key: "agent" | "reviewer") => string;
  async function placeWith(reference: Reference, agent: { url: string }, reviewer: { url: string }) {
    const place = await newPlace();
    for (const key of ["agent", "reviewer"] as const) {
      await place.write(place.at(".claude", key), `${KEYS[key]}\n`);
      await place.write(place.at(".claude", `backwards-${key}`), [...KEYS[key]].reverse().join(""));
    }
    await place.config({
      providers: {
        glm: provider(agent, reference("agent"), {
          ANTHROPIC_CUSTOM_HEADERS: `x-gateway: Bearer ${KEYS.header}`,
          CLAUDE_CODE_EXTRA_BODY: JSON.stringify({ metadata: { api_key: KEYS.body } }),
          MY_PROXY: `http://me:${KEYS.proxy}@127.0.0.1:9`,
        }),
        kimi: provider(reviewer, reference("reviewer")),
        other: provider(NOWHERE, KEYS.another),
      },
      supervisor: { provider: "kimi" },
    });
    return place;
  }
  const env = (place: Place) => ({
    MY_API_KEY: KEYS.shell,
    GITHUB_STEP_SUMMARY: place.at("summary.md"),
  });

  test("writes none of them, in ccc.json or printed by a command", async () => {
    const no: Turn = { verdict: { completed: false, feedback: `Do not print ${all}` } };
    await using glm = newSandbox(
      inTurn({
        agent: [{ use: "Bash", input: { command: `echo ${"x".repeat(110)} ${all}` } }, { say: `It is ${all}` }],
      }),
    );
    await using kimi = newSandbox(
      inTurn({ reviewer: [no, { verdict: { completed: true, feedback: `I saw ${all}` } }] }),
    );
    const reference: Reference = (key) => (key === "agent" ? "cmd:rev backwards-agent" : KEYS.reviewer);
    await using place = await placeWith(reference, glm, kimi);
    // Where ccc sees that no file has changed, a "done" needs no look.
    await $`git init -q ${place.project}`;
    const result = await place.ccc(LOOP, { stdin: `Keep ${all} to yourself`, env: env(place) });
    expect(result.exitCode).toBe(0);
    const folder = join(place.project, ".claude/ccc");
    const names = (await readdir(folder)).filter((each) => !each.endsWith("-output.jsonl"));
    const kept = await Promise.all(names.map((each) => readFile(join(folder, each), "utf8")));
    const report = JSON.parse(kept[names.findIndex((each) => each.endsWith("-report.json"))] ?? "");
    expect(report).toMatchObject({ outcome: "done", answer: expect.stringMatching(/^It is \*\*\* and/) });
    const written = [result.stdout, result.stderr, ...kept, await readFile(place.at("summary.md"), "utf8")].join("\n");
    expect(written).toContain("***");
    for (const key of Object.values(KEYS)) {
      expect(written).not.toContain(key);
      // Not even half of one, where a line was cut.
      expect(written).not.toContain(key.slice(0, 10));
      expect(written).not.toContain(JSON.stringify(key).slice(1, -1));
    }
    // Agent and reviewer themselves used them.
    expect(glm.headers[0]?.authorization).toBe(`Bearer ${KEYS.agent}`);
    expect(kimi.headers[0]?.authorization).toBe(`Bearer ${KEYS.reviewer}`);
  });

  test("writes none when claude dies with one on stderr", async () => {
    await using place = await placeWith((key) => `file:${key}`, NOWHERE, NOWHERE);
    await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; esac
echo '{"type":"text","session_id":"s1","content":"I read ${KEYS.reviewer}"}'; printf '%0480d %s' 0 '${KEYS.agent}'; exit 3`);
    const result = await place.ccc([...LOOP, "work"], { env: env(place) });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("I read ***");
    expect(result.stderr).toMatch(/claude exited without a result \(exit code 3\): 0+ \*\*\*/);
    const written = `${result.stderr}${await contentOf(join(place.project, ".claude/ccc"))}`;
    for (const key of [KEYS.agent, KEYS.reviewer]) expect(written).not.toContain(key.slice(0, 10));
  });
});

describe("commands do not show the secrets of a reference:", () => {
  const COMMANDS = [
    ["provider", "list"],
    ["provider", "list", "--json"],
    ["provider", "show", "glm"],
    ["provider", "show", "glm", "--json"],
    ["why", "glm"],
    ["why", "glm", "--json"],
    ["doctor", "glm"],
    ["doctor", "glm", "--json"],
    ["validate", "glm"],
    ["--dry-run", "--json", "glm", "-p", "hi"],
    ["--dry-run", ...LOOP, "hi"],
    ["glm", "-p", "hi"],
  ];
  const references = [
    `curl -sf -H "X-Api-Key: hidden-header" http://127.0.0.1:9`,
    "curl -sf --header 'Authorization: Token hidden-header' http://127.0.0.1:9/?k=hidden-query",
    "false --token hidden-token",
    "false --password=hidden-password",
    "VAULT_TOKEN=hidden-assigned false",
    "false -u me:hidden-user",
    "sh -c 'echo hidden-script >&2; exit 3'",
    "echo hidden-echo; exit 3",
    "false http://me:hidden-login@127.0.0.1:9/",
  ];
  for (const reference of references) {
    test(`cmd:${reference}`, async () => {
      await using place = await newPlace();
      await place.standIn("exit 1");
      await place.config({
        providers: {
          glm: provider(NOWHERE, `cmd:${reference}`, {
            CLAUDE_CODE_EXTRA_BODY: '{"auth":"hidden-body","api_key":"hidden-key"}',
            ANTHROPIC_CUSTOM_HEADERS: "cmd:echo x: hidden-in-headers; exit 3",
            PROXY: "http://me:hidden-proxy@127.0.0.1:9/?a=hidden-parameter",
          }),
        },
      });
      for (const command of COMMANDS) {
        const { stdout, stderr } = await place.ccc(command);
        expect(stdout + stderr).not.toContain("hidden-");
        expect(stdout + stderr).not.toContain("***-key");
      }
      const { stdout } = await place.ccc(["provider", "list"]);
      expect(stdout).toContain(`cmd:${reference.split(" ")[0]?.replace(/=.*/, "")}`);
    });
  }
});

test("an error that quotes the user's input masks keys", async () => {
  await using place = await newPlace();
  const [inFile, inConfig] = ["sk-file-0123456789", "sk-config-0123456789"];
  await place.write(place.at(".claude/key"), inFile);
  await place.config({ providers: { glm: provider(NOWHERE, inConfig), kimi: provider(NOWHERE, "file:key") } });
  for (const key of [inFile, inConfig]) {
    for (const command of [
      ["provider", "show", key],
      ["validate", key],
      ["use", key],
      ["provider", "remove", key],
    ]) {
      const { exitCode, stdout, stderr } = await place.ccc(command);
      expect(exitCode).not.toBe(0);
      expect(stdout + stderr).not.toContain(key);
      expect(stderr).toContain("***");
    }
  }
});

describe("a key removed from ccc.json", () => {
  const KEY = "sk-gone-0123456789";
  /** Turns the user's settings.json into a provider, which makes copies of both files, then does it again. */
  async function migrated(): Promise<Place> {
    const place = await newPlace();
    await place.write(place.at(".claude/settings.json"), { ...provider(NOWHERE, KEY), model: "opus" });
    expect(await place.ccc(["migrate", "--name", "mine", "--yes"])).toMatchObject({ exitCode: 0 });
    await place.write(place.at(".claude/settings.json"), {
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8", ANTHROPIC_AUTH_TOKEN: "sk-stays-0123456789" },
    });
    expect(await place.ccc(["migrate", "--name", "stays", "--yes"])).toMatchObject({ exitCode: 0 });
    const kept = await contentOf(place.at(".claude/ccc/backups"));
    expect(kept.split(KEY)).toHaveLength(3);
    return place;
  }
  const ways: [name: string, args: string[], stdin: string][] = [
    ["provider remove", ["provider", "remove", "mine", "--yes"], ""],
    [
      "provider add --replace",
      ["provider", "add", "mine", "--base-url", "https://x.test", "--model", "m", "--token-stdin", "--replace"],
      "sk-new-0123456789",
    ],
  ];
  for (const [name, args, stdin] of ways) {
    test(`${name}: is in none of ccc's files, including backups, which are otherwise unchanged`, async () => {
      await using place = await migrated();
      expect(await place.ccc(args, { stdin })).toMatchObject({ exitCode: 0 });
      expect(await contentOf(place.at(".claude"))).not.toContain(KEY);
      const backups = place.at(".claude/ccc/backups");
      const copies = (await readdir(backups)).filter((each) => each.startsWith("settings-")).sort();
      expect(JSON.parse(await readFile(join(backups, copies[0] ?? ""), "utf8"))).toEqual({
        ...provider(NOWHERE, "***"),
        model: "opus",
      });
      expect(await readFile(join(backups, copies[1] ?? ""), "utf8")).toContain("sk-stays-0123456789");
    });
  }

  test("ccc use: is not in the backup of a settings.json that was edited meanwhile", async () => {
    await using place = await newPlace();
    await place.config({
      providers: { mine: provider(NOWHERE, KEY), other: provider(NOWHERE, "sk-stays-0123456789") },
    });
    await place.ccc(["use", "mine"]);
    const settings = place.at(".claude/settings.json");
    await place.write(settings, { ...JSON.parse(await readFile(settings, "utf8")), model: "opus" });
    await place.ccc(["use", "other"]);
    expect(await contentOf(place.at(".claude/ccc/backups"))).toContain(KEY);
    expect(await place.ccc(["provider", "remove", "mine", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await contentOf(place.at(".claude"))).not.toContain(KEY);
  });
});

test("redacting a large answer full of URLs takes linear time", async () => {
  const agent = [{ say: "https://".repeat(200_000) }];
  await using place = await supervisedPlace(inTurn({ agent, reviewer: [DONE] }));
  const started = performance.now();
  const { exitCode, stdout } = await place.ccc([...LOOP, "work"]);
  expect([exitCode, stdout.length]).toEqual([0, 1_600_001]);
  // A quadratic method would take minutes for each file.
  expect(performance.now() - started).toBeLessThan(60_000);
});
