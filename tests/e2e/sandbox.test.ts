import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { shellWord } from "../../src/text/shell.ts";
import { newPlace, newSandbox, type Place, provider } from "../harness.ts";
import { whyNoSandbox } from "../sandbox.ts";

const KEY = "sk-key-of-the-provider";
const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "try" } });

/** What tools said, in order, as the model was told. */
function toolResults(messages: readonly { readonly content: unknown }[]): string[] {
  return messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.filter(({ type }) => type === "tool_result").map((result) => String(result.content))
      : [],
  );
}

/** A repository whose file the agent changes, with secrets in it and in the home. */
async function layOut(place: Place): Promise<void> {
  const git = ["git", "-C", place.project, "-c", "user.name=a", "-c", "user.email=a@example.com"];
  await place.write(join(place.project, "slug.py"), "def slug(text):\n    return text\n");
  await place.write(join(place.project, "fixtures/server.key"), "SECRET-CANARY\n");
  await place.write(join(place.project, ".env"), "SECRET-CANARY\n");
  await place.write(join(place.project, ".gitignore"), ".env\n");
  await place.write(place.at(".ssh/id_rsa"), "SECRET-CANARY\n");
  await place.write(place.at("other/notes.txt"), "SECRET-CANARY\n");
  await place.write(place.at(".cache/app/token"), "SECRET-CANARY\n");
  await Bun.$`git init -q ${place.project} && ${git} add -A && ${git} commit -q -m first`;
}

const WORK = "printf 'def slug(text):\\n    return text.lower()\\n' > slug.py";

describe.if(whyNoSandbox() === undefined)("a fresh review in Claude Code's own sandbox", () => {
  test("runs anything in a copy of the project, reads no secret, writes nowhere else, reaches no server", async () => {
    await using place = await newPlace("/var/tmp");
    const { project } = place;
    const own = shellWord(project);
    await rm(join(place.bin, "bwrap"));
    await layOut(place);
    let seen: string[] = [];
    let request = "";
    const commands: [command: string, ...expected: (string | RegExp)[]][] = [
      [
        "git status --short; git log --oneline; cat slug.py",
        / M slug\.py/,
        " D fixtures/server.key",
        /first$/m,
        "lower()",
      ],
      [
        'printf \'from slug import slug\\nassert slug("A B") == "a-b"\\n\' > edge.py; python3 edge.py',
        /^Exit code 1/,
        "AssertionError",
      ],
      [
        `echo x > ${own}/written; echo x > ~/written; echo x > $TMPDIR/mine && echo kept`,
        "Read-only file system",
        "kept",
      ],
      [
        `cat ~/.ssh/id_rsa ~/other/notes.txt ~/.cache/app/token ${own}/.env ${own}/fixtures/server.key ${own}/slug.py; ls -A ~`,
        "lower()",
      ],
      ["cat ~/.claude/ccc.json ~/.claude/ccc/*.json; ls -A ~/.cache/ccc/reviews; env", /^\d+-\w+$/m],
      [`(exec 3<>/dev/tcp/127.0.0.1/PORT) || echo refused`, "refused"],
      // What root writes there can have the kernel start programs.
      ["[ -w /proc/sys/kernel/core_pattern ] || echo covered", /^covered$/m],
      ["sleep 1000 >/dev/null 2>&1 & mkdir closed; touch closed/file; chmod 0 closed; echo started", "started"],
      ["python3 -c \"from slug import slug; print(slug('A'))\"", /^a$/m],
    ];
    await using glm = newSandbox(({ role, body }, index) => {
      if (role === "agent") return index === 0 ? bash(WORK) : { say: "slug() is done." };
      if (role !== "reviewer") return { say: "ok" };
      if (index === 0) request = JSON.stringify(body.messages);
      seen = toolResults(body.messages);
      const [command] = commands[index] ?? [];
      if (command !== undefined) return bash(command.replace("PORT", new URL(glm.url).port));
      const evidence = "slug.py; `python3 -c \"from slug import slug; print(slug('A'))\"` printed a";
      const criteria = [{ id: "C1", text: "slug() gives lower case", status: "met", evidence }];
      const copy = /removed after it: (.*?)\\n/.exec(request)?.[1]?.replaceAll("\\", "") ?? "";
      return { verdict: { completed: true, feedback: `Tried in ${copy}.`, criteria } };
    });
    await place.config({ providers: { glm: provider(glm, KEY) }, supervisor: { context: "fresh" } });

    const { exitCode, stderr } = await place.ccc(
      ["--supervisor", "glm", "-p", "slug() gives lower case", "--allowedTools", "Bash"],
      {
        env: { GITHUB_TOKEN: "ghp_SECRET-CANARY", DATABASE_URL: "postgres://u:SECRET-CANARY@localhost/db" },
      },
    );

    expect(seen).toHaveLength(commands.length);
    for (const [at, [, ...expected]] of commands.entries()) for (const each of expected) expect(seen[at]).toMatch(each);
    expect(seen.join("\n")).not.toContain("CANARY");
    expect(seen.join("\n")).not.toContain(KEY);
    expect(seen.join("\n")).not.toContain(glm.url);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("Review 1 of 10: done, 1 of 1 met"),
    });
    expect(request).toContain("You are in a copy of the project");
    expect(request).toContain("may contain secrets: fixtures/server.key.");
    for (const path of [join(project, "written"), place.at("written"), join(project, "edge.py")])
      expect(existsSync(path)).toBeFalse();
    expect(await readdir(place.at(".cache/ccc/reviews"))).toEqual([]);
    expect(await readdir(place.at(".claude/projects"))).toHaveLength(1);
    const report = JSON.parse((await place.ccc(["report", "--json"])).stdout);
    expect(report.prompts[0].rounds[0]).toMatchObject({
      sandbox: true,
      looked: commands.map(() => expect.stringMatching(/^Bash: /)),
      // As if it had worked in the project.
      feedback: `Tried in ${project}.`,
    });
    expect((await place.ccc(["report"])).stdout).toContain("reviewed in a sandbox");
    expect(await Bun.file(place.at(".claude/ccc/sandbox.json")).json()).toMatchObject({
      version: "2.1.325",
      why: null,
    });
  });

  test("confirms the done of a reviewer with the conversation, in a request of at most 30 kB", async () => {
    await using place = await newPlace("/var/tmp");
    await rm(join(place.bin, "bwrap"));
    await layOut(place);
    const confirming: string[] = [];
    const tries = "cat slug.py; python3 -c \"from slug import slug; print(slug('A'))\"";
    await using glm = newSandbox(({ role, body }, index) => {
      if (role === "agent") return index === 0 ? bash(WORK) : { say: "slug() is done." };
      if (role !== "reviewer") return { say: "ok" };
      const isCopy = JSON.stringify(body.messages).includes("You are in a copy of the project");
      if (isCopy) confirming.push(JSON.stringify(body));
      const command = isCopy ? tries : "cat slug.py";
      // The conversation of the first reviewer has the agent's own tool.
      if (toolResults(body.messages).length === (isCopy ? 0 : 1)) return bash(command);
      const criteria = [{ id: "C1", text: "slug() gives lower case", status: "met", evidence: "slug.py" }];
      return { verdict: { completed: true, feedback: "Seen.", criteria } };
    });
    await place.config({ providers: { glm: provider(glm, KEY) } });

    const result = await place.ccc(["--supervisor", "glm", "-p", "slug() gives lower case", "--allowedTools", "Bash"]);

    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("confirmed by glm") });
    expect(confirming[1]).toContain("return text.lower()\\na");
    expect(confirming[0]?.length).toBeLessThan(30_000);
    const report = JSON.parse((await place.ccc(["report", "--json"])).stdout);
    expect(report.prompts[0].rounds).toMatchObject([
      {
        verdict: "done",
        context: "shared",
        looked: ["Bash: cat slug.py"],
        sandbox: true,
        confirmation: { reviewer: "glm", verdict: "done", looked: [`Bash: ${tries}`] },
      },
    ]);
  });
});

test("without a sandbox there is no review where supervisor.sandbox is true, and the guard decides otherwise", async () => {
  await using place = await newPlace();
  // Here as on a machine that has all programs and forbids what they need.
  await symlink("/bin/true", join(place.bin, "socat"));
  await layOut(place);
  let seen: string[] = [];
  await using glm = newSandbox(({ role, body }) => {
    if (role === "agent") return { say: "done" };
    seen = toolResults(body.messages);
    return seen.length === 0 ? bash("python3 -c 'print(1)'") : { verdict: { completed: false, feedback: "seen" } };
  });
  const review = async (sandbox: unknown) => {
    await place.config({
      providers: { glm: provider(glm, KEY) },
      supervisor: { context: "fresh", max_iterations: 1, sandbox },
    });
    return place.ccc(["--supervisor", "glm", "-p", "x"]);
  };
  expect(await review(true)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining(
      "supervisor.sandbox is true, and there is no sandbox: user namespaces are forbidden here",
    ),
  });
  expect(glm.received.filter(({ role }) => role === "reviewer")).toEqual([]);
  expect(await review("auto")).toMatchObject({ exitCode: 3 });
  expect(seen.join()).toContain("not part of a review: the command python3");
});

test("where it cannot be installed, `bun run test` says in one line what it leaves out", async () => {
  const script = join(import.meta.dir, "../sandbox.ts");
  const child = Bun.spawn([process.execPath, script], { env: { PATH: "/nowhere" }, stdout: "pipe" });
  expect(await child.stdout.text()).toMatch(
    /^Left out: the tests of reviews in a sandbox: (missing: apt-get|they know)[^\n]*\n$/,
  );
});
