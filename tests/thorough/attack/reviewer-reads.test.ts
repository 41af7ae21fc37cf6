import { expect, test } from "bun:test";
import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCall } from "../../../src/sandbox/sandbox.ts";
import { newPlace, type Place } from "../../harness.ts";
import { bash, read, tryTools, tryToolsAlone } from "./reviewer.ts";

/** A home with secrets, and a project with links to them. */
async function furnish(place: Place) {
  const files = {
    ".ssh/id_rsa": "SECRET of ssh",
    ".claude/.credentials.json": "SECRET of claude",
    ".aws/credentials": "SECRET of aws",
    "other/x.txt": "SECRET of another project",
    "given/lib.txt": "GIVEN",
    "my project/.env": "KEY=SECRET",
    "my project/sub/.env.local": "KEY=SECRET",
    "my project/sub/.env.example": "KEY=EXAMPLE",
    "my project/src/a.ts": "const found = 'KEY in the source';",
    "my project/package.json": '{"scripts":{"test":"echo THE-TESTS-RAN"}}',
  };
  for (const [path, text] of Object.entries(files)) await place.write(place.at(path), `${text}\n`);
  await symlink(place.at(".ssh/id_rsa"), join(place.project, "notes.md"));
  await symlink(place.at(".ssh"), join(place.project, "docs"));
}

/** Everything the reviewer saw, and everything that was saved about it. */
async function everywhere(place: Place, told: readonly string[]): Promise<string> {
  const folder = join(place.project, ".claude/ccc");
  const kept = (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8"));
  return [...told, ...(await Promise.all(kept))].join("\n");
}

const forbidden = (place: Place): ToolCall[] => [
  read(place.at(".ssh/id_rsa")),
  read("~/.ssh/id_rsa"),
  read(place.at(".claude/ccc.json")),
  read(place.at(".claude/.credentials.json")),
  read(place.at(".claude/ccc/settings-glm-supervisor.json")),
  read(place.at("other/x.txt")),
  read("/etc/passwd"),
  read("/proc/self/environ"),
  read(join(place.project, "notes.md")),
  read(join(place.project, "docs/id_rsa")),
  ...[
    "cat ~/.ssh/id_rsa",
    "cat ../.ssh/id_rsa",
    "cat notes.md",
    "cat n*",
    "cat docs/*",
    "cat d*/id_rsa",
    "head -5 < notes.md",
    "head -1 /etc/passwd",
    "tail ../other/x.txt",
    "cd .. && cat other/x.txt",
    "cd docs && cat id_rsa",
    "grep -r SECRET ..",
    "grep -R SECRET .",
    "grep -f ../.ssh/id_rsa package.json",
    "grep -rf../.ssh/id_rsa src",
    "ls ..",
    "stat ../other/x.txt",
    "wc -c ../other/x.txt",
    "wc --files0-from=../other/x.txt",
    "find .. -name id_rsa",
    "diff notes.md package.json",
    "sort ../other/x.txt",
    "sed -n 1p ../other/x.txt",
    "git diff --no-index /etc/passwd /dev/null",
    "git diff --no-index notes.md package.json",
    "git -C .. status",
    "git -C / log",
    "git --git-dir=../other/.git log",
    "git grep --no-index SECRET ..",
    "cat $(echo ../other/x.txt)",
    "cat `echo ../other/x.txt`",
    "cat <(cat ../other/x.txt)",
    "F=../other/x.txt; cat $F",
    "eval cat ../other/x.txt",
    "sh -c 'cat ../other/x.txt'",
    "cat /proc/self/environ",
    "env",
    "printenv ANTHROPIC_AUTH_TOKEN",
    "echo $ANTHROPIC_AUTH_TOKEN",
    "ls | xargs cat",
  ].map(bash),
];

/** Secrets of the project itself: the reviewer may use another provider than the agent. */
const unshown = (place: Place): ToolCall[] => [
  read(join(place.project, ".env")),
  read(join(place.project, "sub/.env.local")),
  ...["cat .env", "cat .en*", "grep KEY .env", "grep -r KEY .", "head -3 < .env"].map(bash),
];

const allowed = (place: Place): [call: ToolCall, says: string][] => [
  [read(join(place.project, "src/a.ts")), "KEY in the source"],
  [read(join(place.project, "sub/.env.example")), "EXAMPLE"],
  [read(place.at("given/lib.txt")), "GIVEN"],
  [bash(`cat '${place.at("given/lib.txt").replaceAll("'", "'\\''")}'`), "GIVEN"],
  [bash("cat package.json | head -2"), "scripts"],
  [bash("ls src && wc -l src/a.ts"), "a.ts"],
  [bash("grep -rn KEY src"), "KEY in the source"],
  [bash("sed -n '1,5p' src/a.ts"), "KEY in the source"],
  [bash("find . -name '*.ts' -not -path './node_modules/*'"), "a.ts"],
  [bash("git status --short 2>&1; git log --oneline -3 2>/dev/null; echo $?"), "?? src/"],
  [bash("CI=1 timeout 60 npm test 2>&1 | tail -3"), "THE-TESTS-RAN"],
  [bash("cd src && cat a.ts ../package.json"), "scripts"],
];

test.each(["pinned", "oldest"] as const)(
  "with the %s Claude Code the reviewer can read the project and the folders added to the session, nothing else",
  async (version) => {
    await using place = await newPlace();
    if (version === "oldest") await place.oldest();
    await furnish(place);
    await Bun.$`git init -q ${place.project}`;
    const [foreign, secret, own] = [forbidden(place), unshown(place), allowed(place)];
    const calls = [...foreign, ...secret, ...own.map(([call]) => call)];
    const [told = []] = await tryTools(place, calls, ["session"], { options: ["--add-dir", place.at("given")] });
    expect(told).toHaveLength(calls.length);
    expect(await everywhere(place, told)).not.toMatch(/SECRET of|KEY=SECRET|key-of-the-reviewer|root:x:/);
    for (const [index, call] of foreign.entries())
      expect([call, told[index]]).toEqual([
        call,
        expect.stringMatching(/not part of|does not read|does not exist|denied by your permission settings/),
      ]);
    for (const [index, [call, says]] of own.entries()) {
      const answer = told[foreign.length + secret.length + index];
      expect([call, answer]).toEqual([call, expect.stringContaining(says)]);
    }
  },
);

/** A file of each kind whose name says that it has secrets. */
const SECRET_KINDS = [
  ...[".env", ".env.local", ".env.prod", ".env.test", ".env.prod.local", ".env.examples", ".envrc", ".Env.Prod"],
  ...[".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".credentials.json"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ID_RSA", "a.pem", "a.key", "A.Key", "a.p12", "a.pfx", "a.jks"],
  ...["a.keystore", "a.kdbx", ".ssh/config", ".aws/credentials", ".gnupg/x", ".kube/config", ".SSH/x"],
];
const NO_SECRETS = [".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", "a.keys", "a.ts"];

test.each(["pinned", "oldest"] as const)(
  "with the %s Claude Code the reviewer's Grep finds nothing in secret files, in the project and in added folders",
  async (version) => {
    await using place = await newPlace();
    if (version === "oldest") await place.oldest();
    for (const folder of [place.project, join(place.project, "deep/er"), place.at("given")])
      for (const name of [...SECRET_KINDS, ...NO_SECRETS]) await place.write(join(folder, name), `FOUND ${name};\n`);
    const grep = (more: object): ToolCall => ({
      use: "Grep",
      input: { pattern: "FOUND", output_mode: "content", ...more },
    });
    const calls = [grep({}), grep({ path: "deep" }), grep({ path: place.at("given") }), grep({ glob: "**/*" })];
    const [told = []] = await tryTools(place, calls, ["fresh"], { options: ["--add-dir", place.at("given")] });
    expect(told).toHaveLength(calls.length);
    for (const answer of told) {
      const found = [...SECRET_KINDS, ...NO_SECRETS].filter((name) => answer.includes(`FOUND ${name};`));
      expect(found).toEqual(NO_SECRETS);
    }
  },
);

test("without the guard, and with custom settings, the reviewer can read only the project", async () => {
  await using place = await newPlace();
  await furnish(place);
  const calls = [
    read(place.at(".ssh/id_rsa")),
    bash("cat ../other/x.txt"),
    bash("npm test --script-shell=./x"),
    bash("npm test"),
  ];
  const told = await tryToolsAlone(place, calls, {
    plant: async () => {
      const folder = place.at(".claude/ccc");
      const name = (await readdir(folder)).find((each) => each.startsWith("settings-glm-supervisor")) ?? "";
      const path = join(folder, name);
      const { hooks: _, ...settings } = JSON.parse(await readFile(path, "utf8"));
      await place.write(path, settings);
    },
  });
  expect(told[3]).toContain("THE-TESTS-RAN");
  expect(await everywhere(place, told.slice(0, 3))).not.toMatch(/SECRET|script-shell=.*TESTS-RAN/);
});
