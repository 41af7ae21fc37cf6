import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import {
  CCC,
  CLAUDE,
  credentials,
  inTurn,
  newPlace,
  newSandbox,
  type Place,
  SUBSCRIPTION,
  settledIn,
} from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const isAsked = ({ received }: Sandbox) => received.some(({ role }) => role === "agent");

/** A login, and keys and servers of others wherever Claude Code looks. */
async function ambush(place: Place, { url }: Pick<Sandbox, "url">) {
  const env = { ANTHROPIC_AUTH_TOKEN: "foreign-token", ANTHROPIC_API_KEY: "foreign-key", ANTHROPIC_BASE_URL: url };
  await settledIn(place);
  await place.write(place.at(".claude/.credentials.json"), SUBSCRIPTION);
  await place.write(join(place.project, ".claude/settings.json"), { env });
  await place.write(join(place.project, ".claude/settings.local.json"), { env, apiKeyHelper: "echo foreign-helper" });
  return env;
}

const own = (key: string) => new Set([JSON.stringify({ bearer: `Bearer ${key}`, key })]);
const seenBy = (server: Sandbox) => new Set(credentials(server).map((each) => JSON.stringify(each)));

describe("background sessions reach their own provider with its key", () => {
  test("two providers at once, despite foreign keys, and plain claude beside them on its login", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await using kimi = newSandbox();
    await using users = newSandbox();
    await using trap = newSandbox();
    const foreign = await ambush(place, trap);
    const elsewhere = place.at("elsewhere");
    await place.write(join(elsewhere, ".keep"), "");
    const trusted = { hasTrustDialogAccepted: true };
    const projects = { [place.project]: trusted, [elsewhere]: trusted };
    await place.write(place.at(".claude.json"), { hasCompletedOnboarding: true, projects });
    await place.write(place.at(".claude/settings.json"), { env: { ANTHROPIC_BASE_URL: users.url } });
    await place.config({
      providers: {
        glm: { env: { ANTHROPIC_BASE_URL: glm.url, ANTHROPIC_AUTH_TOKEN: "glm-token" } },
        kimi: { env: { ANTHROPIC_BASE_URL: kimi.url, ANTHROPIC_API_KEY: "kimi-key" } },
      },
    });
    for (const name of ["glm", "kimi"])
      expect(await place.ccc([name, "--bg", "hi"], { env: foreign })).toMatchObject({ exitCode: 0 });
    const plain = Bun.spawn([CLAUDE, "--bg", "hi"], { cwd: elsewhere, env: place.env, stdout: "ignore" });
    expect(await plain.exited).toBe(0);
    await until(() => [glm, kimi, users].every(isAsked));
    expect(seenBy(glm)).toEqual(own("glm-token"));
    expect(seenBy(kimi)).toEqual(own("kimi-key"));
    expect(seenBy(users)).toEqual(new Set([JSON.stringify({ bearer: "Bearer sk-ant-oat01-stored" })]));
    expect(trap.headers).toBeEmpty();
  });

  test("/background in a session, and sessions of `ccc glm agents`", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await using trap = newSandbox();
    await ambush(place, trap);
    await place.config({ providers: { glm: { env: { ANTHROPIC_BASE_URL: glm.url, ANTHROPIC_API_KEY: "glm-key" } } } });
    const options = { cwd: place.project, env: place.env };
    await using session = newScreen([CCC, "glm"], options);
    await session.shows("❯");
    session.type("hello");
    await session.shows("❯ hello");
    session.type("\r");
    await session.shows("● ok");
    const before = glm.received.length;
    session.type("/background more");
    await session.shows("/background more");
    session.type("\r");
    await session.exited;
    await until(() => glm.received.length > before);
    await using agents = newScreen([CCC, "glm", "agents"], options);
    await agents.shows("describe a task");
    agents.type("from the list");
    await agents.shows("❯ from the list");
    agents.type("\r");
    await until(() => glm.received.some(({ body }) => JSON.stringify(body.messages).includes("from the list")));
    expect(seenBy(glm)).toEqual(own("glm-key"));
    expect(trap.headers).toBeEmpty();
  });

  test("a key from a variable that the service does not have: the session says so, and nobody's key is sent", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await using kimi = newSandbox();
    await using trap = newSandbox();
    await ambush(place, trap);
    await place.config({
      providers: {
        glm: { env: { ANTHROPIC_BASE_URL: glm.url, ANTHROPIC_AUTH_TOKEN: "env:MY_KEY" } },
        kimi: { env: { ANTHROPIC_BASE_URL: kimi.url, ANTHROPIC_AUTH_TOKEN: "kimi-token" } },
      },
    });
    expect(await place.ccc(["kimi", "--bg", "hi"])).toMatchObject({ exitCode: 0 });
    await until(() => isAsked(kimi));
    const { stdout, stderr } = await place.ccc(["glm", "--bg", "hi"], { env: { MY_KEY: "glm-token" } });
    expect(stderr).toContain("MY_KEY has to be set where Claude Code's background service was started");
    const id = /backgrounded · (\w+)/.exec(stdout)?.[1] ?? "";
    await until(async () => (await logs(place, id)).includes("MY_KEY is not set in the environment"));
    expect(JSON.stringify(credentials(glm))).not.toMatch(/stored|foreign|token/);
    expect(trap.headers).toBeEmpty();
  });
});

test("a supervised background session is reviewed until its work is done", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [notDone("the tests are missing"), DONE] }));
  expect(await place.ccc(["--supervisor", "glm", "--bg", "write the tests"])).toMatchObject({ exitCode: 0 });
  await until(() => place.reviews().length === 2);
  await until(async () => JSON.stringify(await place.record()).includes("seen"));
  expect(place.reviews()).toHaveLength(2);
  const agents = place.sandbox.received.filter(({ role }) => role === "agent");
  expect(JSON.stringify(agents.at(-1)?.body.messages)).toContain("the tests are missing");
  expect(seenBy(place.sandbox)).toEqual(own("glm-token"));
});

async function logs(place: Place, id: string): Promise<string> {
  const child = Bun.spawn([CLAUDE, "logs", id], { cwd: place.project, env: place.env, stderr: "ignore" });
  return Bun.stripANSI(await child.stdout.text());
}

/** After this, the test fails and ends what it started instead of hanging. */
const GIVE_UP_MS = 60_000;

/** Claude Code sends no event for what happens in the background. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never happened: ${holds}`);
    await Bun.sleep(50);
  }
}
