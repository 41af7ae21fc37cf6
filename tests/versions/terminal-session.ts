import type { Script } from "../../src/sandbox/sandbox.ts";
import { unless } from "../attack/campaign.ts";
import { CCC, inTurn } from "../harness.ts";
import { reviewShares } from "../prefix.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";
import type { Findings } from "./compatibility.ts";
import { EXPECTED_MS, enter, PROMPT, within } from "./typing.ts";

/** A supervised session in a terminal: two reviews, a question, ccc's command, and a usage limit that resets. */
export async function terminalSession(): Promise<Findings> {
  const asks = { verdict: { completed: false, needs_user: true, feedback: "WHICH ONE?" } };
  const scripted = inTurn({
    agent: [{ say: "FIRST ANSWER" }, { say: "SECOND ANSWER" }, { say: "THIRD ANSWER" }],
    reviewer: [notDone("FEEDBACK-ONE"), DONE, asks],
  });
  let isLimited = false;
  const script: Script = (received, index) => {
    if (!isLimited || received.role !== "agent") return scripted(received, index);
    isLimited = false;
    const end = new Date(Date.now() + 2_500).toISOString();
    return { fail: 429, message: `[1308][Usage limit reached for 5 hour. Your limit will reset at ${end}]` };
  };
  await using place = await supervisedPlace(script);
  const launch = [CCC, "--supervisor", "glm", "--model", "some-model"];
  await using screen = newScreen(launch, { cwd: place.project, env: place.env });
  await screen.shows(PROMPT);
  const sees = (wanted: string | RegExp) => within(() => new RegExp(wanted).test(screen.text()), EXPECTED_MS);
  const statusLine = unless(await sees(/glm · some-model .*· supervisor on/), screen.text());
  await enter(screen, "first task");
  const terminal = [
    ...unless(await sees("Review 1 of 10: not done"), `the first review is not shown: ${screen.text()}`),
    ...unless(await sees("Review 2 of 10: done"), `the second review is not shown: ${screen.text()}`),
    ...unless(place.turns().at(-1)?.includes("FEEDBACK-ONE") === true, "the feedback did not reach the agent"),
  ];
  const asked = place.turns().length;
  await enter(screen, "/ccc:supervisor status");
  const command = [
    ...unless(await sees(/Reviewer: glm/), screen.text()),
    ...unless(place.turns().length === asked, "the agent was asked"),
  ];
  await enter(screen, "second task");
  const isAsking = await sees("Needs you: WHICH ONE");
  const notification = unless(
    isAsking && (await within(() => screen.raw().includes("\u001b]9;ccc: Needs you: WHICH ONE?"))),
    "no notification in the output",
  );
  const shares = reviewShares(place.sandbox.received);
  const reviewed = place.reviews().length;
  isLimited = true;
  await enter(screen, "third task");
  const isReviewed = await within(() => place.reviews().length > reviewed);
  const isWoken = isReviewed && place.turns().at(-1)?.includes("The usage limit has reset.") === true;
  return {
    terminal,
    statusLine,
    command,
    notification,
    cacheOfTerminal: unless(shares.length > 0 && shares.every((share) => share === 1), `shared: ${shares}`),
    wake: unless(isWoken, "the session did not continue after the limit"),
  };
}
