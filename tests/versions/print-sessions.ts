import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { unless } from "../attack/campaign.ts";
import { credentials, inTurn, newPlace, newSandbox, provider } from "../harness.ts";
import { reviewShares } from "../prefix.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";
import type { Findings } from "./compatibility.ts";
import { within } from "./typing.ts";

/** A launch, despite keys and a server of others. */
export async function launchSession(): Promise<Findings> {
  await using place = await newPlace();
  await using glm = newSandbox(() => ({ say: "hello" }));
  await using elsewhere = newSandbox();
  await place.config({ providers: { glm: provider(glm, "glm-token", { ANTHROPIC_MODEL: "glm-4.7" }) } });
  const foreign = {
    ANTHROPIC_API_KEY: "foreign-key",
    ANTHROPIC_AUTH_TOKEN: "foreign-token",
    ANTHROPIC_MODEL: "foreign-model",
    ANTHROPIC_BASE_URL: elsewhere.url,
    ANTHROPIC_CUSTOM_HEADERS: "x-foreign: yes",
    CLAUDE_CODE_USE_BEDROCK: "1",
  };
  const layer = { apiKeyHelper: "echo foreign-helper", env: foreign };
  for (const path of [place.at(".claude/settings.json"), join(place.project, ".claude/settings.json")])
    await place.write(path, layer);
  await place.write(place.at(".claude.json"), { primaryApiKey: "foreign-stored", hasCompletedOnboarding: true });

  const { exitCode, stdout, stderr } = await place.ccc(["glm", "-p", "hi"], { env: foreign });

  const models = glm.received.filter(({ role }) => role === "agent").map(({ body }) => body.model);
  const wrong = credentials(glm).filter(isForeign);
  return {
    launch: [
      ...unless(exitCode === 0 && stdout === "hello\n", `exit code ${exitCode}: ${stdout}${stderr}`),
      ...unless(models.length > 0 && models.every((model) => model === "glm-4.7"), `models: ${models}`),
    ],
    isolation: [
      ...unless(elsewhere.headers.length === 0, "another server was asked"),
      ...unless(wrong.length === 0, `credentials: ${JSON.stringify(wrong)}`),
      ...unless(!JSON.stringify(glm.headers).includes("foreign"), "a foreign header was sent"),
    ],
  };
}

/** A supervised run. Its first reviewer tries what it must not do, and what it must be able to do. */
export async function reviewedSession(): Promise<Findings> {
  const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "look" } });
  const answers: Turn[] = [];
  await using place = await supervisedPlace(({ role }, index) => {
    if (role === "helper") return { say: "-" };
    if (role === "agent") return { say: index === 0 ? "FIRST ANSWER" : "SECOND ANSWER" };
    return answers.shift() ?? DONE;
  });
  const [written, touched] = [join(place.project, "written.txt"), join(place.project, "touched.txt")];
  const code = join(place.project, "code.txt");
  await place.write(code, "THE-CODE");
  await place.write(join(place.project, "CLAUDE.md"), "Be brief.");
  answers.push({ use: "Write", input: { file_path: written, content: "x" } }, bash(`touch "${touched}"`));
  answers.push(bash("cat ~/.claude/ccc.json"), { use: "Read", input: { file_path: code } }, notDone("FEEDBACK-ONE"));

  const { exitCode, stdout, stderr } = await place.ccc(["--supervisor", "glm", "-p", "ORIGINAL REQUEST"]);

  const reviews = place.reviews();
  const all = reviews.join();
  const shares = reviewShares(place.sandbox.received);
  return {
    hook: [
      ...unless(exitCode === 0 && stdout === "SECOND ANSWER\n", `exit code ${exitCode}: ${stdout}${stderr}`),
      ...unless(place.turns()[1]?.includes("FEEDBACK-ONE") === true, "the feedback did not reach the agent"),
      ...unless(
        reviews.length === 6 && reviews[0]?.includes("ORIGINAL REQUEST") === true,
        `${reviews.length} requests of reviewers`,
      ),
      ...unless((await place.record())["stops.jsonl"]?.includes('"done"') === true, "the record does not say done"),
    ],
    guard: [
      ...unless(!existsSync(written), "the reviewer wrote a file"),
      ...unless(!existsSync(touched), "the reviewer ran touch"),
      ...unless(!all.includes("glm-token"), "the reviewer read ccc.json"),
      ...unless(all.includes("THE-CODE"), "the reviewer could not read the project"),
    ],
    cacheOfPrint: unless(
      shares.length > 0 && shares.every((share) => share === 1),
      `shared: ${shares.map((share) => `${Math.round(share * 100)} %`)}`,
    ),
  };
}

/** A check that fails in another way each time, up to ccc's limit, which is higher than Claude Code's own. */
export async function limitSession(): Promise<Findings> {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }] }));
  const check = "echo tried >> tries.txt; wc -l tries.txt; false";
  const { exitCode, stderr } = await place.ccc(["--check", check, "glm", "-p", "work"]);
  const rounds = place.turns().length;
  return {
    limit: [
      ...unless(exitCode === 3, `exit code ${exitCode}: ${stderr}`),
      ...unless(rounds === 11, `the agent was asked ${rounds} times`),
      ...unless(stderr.includes("Stopped after 10 reviews: NOT done"), stderr),
    ],
  };
}

export async function loopSession(): Promise<Findings> {
  await using place = await supervisedPlace(
    inTurn({
      agent: [{ use: "Bash", input: { command: "echo working", description: "work" } }, { say: "ONE" }, { say: "TWO" }],
      reviewer: [notDone("FEEDBACK-ONE"), DONE],
    }),
  );
  await Bun.$`git init -q ${place.project}`;
  const args = ["--engine", "loop", "glm", "ORIGINAL REQUEST", "--allowedTools", "Bash"];
  const { exitCode, stdout, stderr } = await place.ccc(args);
  return {
    loop: [
      ...unless(exitCode === 0 && stdout === "TWO\n", `exit code ${exitCode}: ${stdout}${stderr}`),
      ...unless(place.turns()[2]?.includes("FEEDBACK-ONE") === true, "the feedback did not reach the agent"),
      ...unless(place.reviews()[0]?.includes("ORIGINAL REQUEST") === true, "the reviewer does not know the request"),
    ],
  };
}

export async function backgroundSession(): Promise<Findings> {
  await using place = await supervisedPlace();
  const { exitCode, stdout, stderr } = await place.ccc(["glm", "--bg", "hi"]);
  const isAsked = exitCode === 0 && (await within(() => place.turns().length > 0));
  const wrong = credentials(place.sandbox).filter(isForeign);
  return {
    background: [
      ...unless(isAsked, `exit code ${exitCode}: ${stdout}${stderr}`),
      ...unless(wrong.length === 0, `credentials: ${JSON.stringify(wrong)}`),
    ],
  };
}

/** Some versions also check that the server is up, without a key. */
function isForeign({
  bearer = "Bearer glm-token",
  key = "glm-token",
}: {
  bearer?: string | undefined;
  key?: string | undefined;
}): boolean {
  return bearer !== "Bearer glm-token" || key !== "glm-token";
}
