import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { keyCommandLine } from "../../src/providers/identity.ts";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { shellWord } from "../../src/text/shell.ts";
import { CCC, credentials, inTurn, newPlace, newSandbox, type Place, provider, settledIn } from "../harness.ts";
import { DONE, traces } from "../supervised.ts";

const KEY = "sk-reference-0123456789abcdef";

/** The files below the home and in the project that hold the key. */
async function filesWith(place: Place, key = KEY): Promise<string[]> {
  const folders = [place.home, place.project].map((path) => readdir(path, { recursive: true, withFileTypes: true }));
  const names = (await Promise.all(folders)).flat();
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => readFileSync(path).includes(key));
}

/** The processes of this machine whose arguments or environment hold the key. */
function processesWith(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return ["cmdline", "environ"].some((file) => readFileSync(`/proc/${pid}/${file}`).includes(KEY));
    } catch {
      // It has ended, or is not ours to look at.
      return false;
    }
  });
}

/** Answers every request, and searches for the key while claude waits. */
function lookingAround(seen: string[][]): Script {
  return () => {
    if (process.platform === "linux") seen.push(processesWith());
    return { say: "hello" };
  };
}

describe("a key that is a reference", () => {
  test.each([
    // Read backwards from a file, so that the key itself is nowhere.
    ["cmd", "cmd:rev backwards"],
    ["file", "file:../../outside/key"],
  ])("%s: reaches the API, while no file below the home holds it and no process shows it", async (_, reference) => {
    const seen: string[][] = [];
    await using sandbox = newSandbox(lookingAround(seen));
    await using place = await newPlace();
    await place.write(place.at(".claude/backwards"), `${[...KEY].reverse().join("")}\nnote below\n`);
    await place.write(join(place.bin, "../outside/key"), `${KEY}\n`);
    await place.config({ providers: { glm: provider(sandbox, reference) } });
    const result = await place.ccc(["glm", "-p", "hi"]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "hello\n", stderr: "" });
    // Claude Code sends what its helper says in both headers.
    expect(credentials(sandbox)).not.toHaveLength(0);
    for (const sent of credentials(sandbox)) expect(sent).toEqual({ bearer: `Bearer ${KEY}`, key: KEY });
    expect(await filesWith(place)).toEqual([]);
    expect(seen.flat()).toEqual([]);
    // The search must be able to find something.
    if (process.platform === "linux") {
      const shown = Bun.spawn(["sleep", "60"], { env: { SHOWN: KEY } });
      expect(processesWith()).toContain(String(shown.pid));
      shown.kill();
    }
  });

  test("env: and other secrets by reference, in a separate config folder", async () => {
    await using sandbox = newSandbox();
    await using place = await newPlace();
    const other = provider(sandbox, "env:MY_KEY", {
      ANTHROPIC_CUSTOM_HEADERS: "cmd:echo x-gateway: from-a-command",
    });
    await place.write(place.at("my settings/ccc.json"), { providers: { glm: other } });
    const env = { MY_KEY: KEY, CCC_CONFIG_DIR: place.at("my settings") };
    expect(await place.ccc(["glm", "-p", "hi"], { env })).toMatchObject({ exitCode: 0, stdout: "ok\n", stderr: "" });
    expect(credentials(sandbox)[0]).toEqual({ bearer: `Bearer ${KEY}`, key: KEY });
    expect(sandbox.headers.every((each) => each["x-gateway"] === "from-a-command")).toBe(true);
  });

  test("the reviewer gets its key the same way", async () => {
    await using sandbox = newSandbox();
    await using reviewer = newSandbox(() => DONE);
    await using place = await newPlace();
    await settledIn(place);
    await place.write(place.at(".claude/key"), KEY);
    await place.config({
      providers: { glm: provider(sandbox, "agents-own-key"), kimi: provider(reviewer, "file:key") },
      supervisor: { provider: "kimi" },
    });
    const result = await place.ccc(["--supervisor", "glm", "-p", "hi"]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(credentials(reviewer)[0]).toEqual({ bearer: `Bearer ${KEY}`, key: KEY });
    expect(credentials(sandbox)[0]?.bearer).toBe("Bearer agents-own-key");
  });

  test("a reviewer that prints its key, which was replaced after the launch, leaves it in no file and no message", async () => {
    const rotated = "sk-rotated-fedcba9876543210";
    const backwards = (key: string) => [...key].reverse().join("");
    const rotate = { command: `printf %s ${backwards(rotated)} > backwards`, description: "rotate" };
    await using sandbox = newSandbox(inTurn({ agent: [{ use: "Bash", input: rotate }, { say: "ready" }] }));
    const words = `my key is ${rotated}, and was ${KEY}`;
    const command = `grep -v ${rotated} backwards`;
    await using reviewer = newSandbox(
      inTurn({
        reviewer: [
          { say: words },
          { use: "Bash", input: { command, description: "look" } },
          { verdict: { completed: true, feedback: words } },
        ],
      }),
    );
    await using place = await newPlace();
    await settledIn(place);
    await place.write(join(place.project, "backwards"), backwards(KEY));
    await place.config({
      providers: {
        glm: provider(sandbox, "agents-own-key"),
        kimi: provider(reviewer, `cmd:rev ${shellWord(join(place.project, "backwards"))}`),
      },
      supervisor: { provider: "kimi" },
    });
    const result = await place.ccc(["--supervisor", "glm", "-p", "hi", "--allowedTools", "Bash"]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "ready\n" });
    expect(credentials(reviewer).map(({ key }) => key)).toContain(rotated);
    expect(result.stderr).toContain("my key is ***, and was ***");
    expect((await traces(place)).output).not.toEqual([]);
    const report = await place.ccc(["report", "--json"]);
    expect(report.stdout).toContain("my key is ***, and was ***");
    for (const key of [KEY, rotated]) {
      expect(`${result.stderr}${report.stdout}`).not.toContain(key);
      expect(await filesWith(place, key)).toEqual([]);
    }
  });

  test.each([
    ["env:NOWHERE", "NOWHERE is not set in the environment"],
    ["file:nowhere", "no such file"],
    ["cmd:cat nowhere; exit 3", "`cat nowhere; exit 3` ended with exit code 3: cat: nowhere: No such file"],
    ["cmd:echo locked hunter2 >&2; exit 3", "`echo *** *** >&2; exit 3` ended with exit code 3: *** ***"],
    ["cmd:true", "what the command printed is empty"],
    ["cmd:kill -9 $$", "was killed by a signal"],
    ["cmd:yes", "prints too much for a key"],
    ["cmd:curl -H 'Authorization: Bearer sk-secret' http://127.0.0.1:9", "Bearer ***"],
    ["env:ANTHROPIC_API_KEY", "Rename that variable"],
    ["cmd:", 'nothing follows "cmd:"'],
    ["keychain:glm", "providers.glm.env.ANTHROPIC_AUTH_TOKEN: no usable keychain"],
  ])("%s: a reference that fails stops the launch with its reason", async (reference, reason) => {
    await using place = await newPlace();
    await place.standIn("echo started");
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, reference) } });
    const result = await place.ccc(["glm", "-p", "hi"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(reason);
    const asked = await place.ccc(["key", "glm"]);
    expect(asked).toMatchObject({ exitCode: 1, stdout: "" });
    expect(asked.stderr).toContain(reason);
  });

  test("a command in the current folder is not run", async () => {
    await using place = await newPlace();
    await place.standIn("echo started");
    await place.write(join(place.project, "trap"), "#!/bin/sh\necho trapped-key-0123456789\n");
    await Bun.$`chmod +x ${join(place.project, "trap")}`;
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "cmd:./trap") } });
    expect(await place.ccc(["glm", "-p", "hi"])).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("a relative config folder is the same folder for every program that asks for the key", async () => {
    await using place = await newPlace();
    await place.write(join(place.project, "cfg/ccc.json"), {
      providers: { glm: provider({ url: "http://127.0.0.1:9" }, "env:K") },
    });
    await place.standIn('cat "$4"');
    const { stdout } = await place.ccc(["glm"], { env: { CCC_CONFIG_DIR: "cfg", K: KEY } });
    expect(JSON.parse(stdout).apiKeyHelper).toContain(shellWord(join(place.project, "cfg")));
  });

  test("a dry run asks for no key and shows where it comes from", async () => {
    await using place = await newPlace();
    const reference = "cmd:touch asked; cat key";
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, reference) } });
    const { stdout, exitCode } = await place.ccc(["--dry-run", "--json", "glm"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).references).toEqual([{ field: "providers.glm.env.ANTHROPIC_AUTH_TOKEN", reference }]);
    expect(await Bun.file(place.at(".claude/asked")).exists()).toBe(false);
  });

  test("a key inside the command that fetches a key is never shown", async () => {
    await using place = await newPlace();
    const reference = "cmd:curl -H 'Authorization: Bearer secret-of-vault' https://vault.example/?t=secret-of-query";
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, reference) } });
    const commands = [
      "provider list",
      "provider list --json",
      "provider show",
      "provider show --json",
      "why",
      "why --json",
    ];
    for (const command of [...commands, "--dry-run --json glm", "--dry-run glm"]) {
      const { stdout, stderr } = await place.ccc(command.split(" "));
      expect(stdout).toContain("cmd:curl");
      expect(stdout + stderr).not.toContain("secret-of");
    }
  });

  test("two keys are refused", async () => {
    await using place = await newPlace();
    await place.standIn("echo started");
    const two = provider({ url: "http://127.0.0.1:9" }, "env:A", { ANTHROPIC_API_KEY: "b" });
    await place.config({ providers: { glm: two } });
    const result = await place.ccc(["glm"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("leave one of them out");
  });
});

test("a tool of a session gets no key of another provider from ccc key", async () => {
  const ask = (words: string) => `"$HOME/ccc" key ${words} 2>&1 | cat`;
  let commands: string[] = [];
  await using sandbox = newSandbox(({ body }) => {
    const command = commands.shift();
    if (command !== undefined) return { use: "Bash", input: { command, description: "ask" } };
    return { say: JSON.stringify(body.messages) };
  });
  await using other = newSandbox();
  await using place = await newPlace();
  await place.write(place.at("backwards"), [...KEY].reverse().join(""));
  await Bun.$`ln -s ${CCC} ${place.at("ccc")}`;
  await place.config({
    providers: {
      glm: provider(sandbox, `cmd:rev ${shellWord(place.at("backwards"))}`),
      third: provider(other, "key-of-third"),
    },
  });
  // The second is what Claude Code runs, which has a quick answer.
  const helper = keyCommandLine(place.at("ccc"), "third", place.at(".claude"), other.url);
  commands = [ask("third"), `${helper} 2>&1 | cat`, ask("glm")];
  const { stdout } = await place.ccc(["glm", "-p", "hi", "--allowedTools", "Bash"]);
  expect(stdout.match(/does not give the key of/g)).toHaveLength(2);
  expect(stdout).not.toContain("key-of-third");
  // That of its own provider is no secret from it.
  expect(stdout).toContain(KEY);
  // Claude Code itself has got its key.
  expect(credentials(sandbox)[0]?.key).toBe(KEY);
});

test("a session does not get the key of the server that its provider has moved to", async () => {
  await using place = await newPlace();
  await place.standIn('cat "$4"');
  const keyOf = async (server: string, key: string) => {
    await place.config({ providers: { glm: provider({ url: server }, key) } });
    return JSON.parse((await place.ccc(["glm"])).stdout).apiKeyHelper as string;
  };
  const first = await keyOf("http://127.0.0.1:9", "first-key");
  const ask = (command: string) => Bun.$`sh -c ${command}`.env(place.env).nothrow().quiet();
  expect((await ask(first)).stdout.toString()).toBe("first-key\n");
  for (const key of ["second-key", "cmd:echo second-key"]) {
    const second = await keyOf("http://127.0.0.1:8", key);
    expect((await ask(second)).stdout.toString()).toBe("second-key\n");
    const refused = await ask(first);
    expect([refused.exitCode, refused.stdout.toString()]).toEqual([1, ""]);
    expect(refused.stderr.toString()).toContain('provider "glm" has another server than when this session started');
  }
});
