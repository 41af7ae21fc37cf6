import { writeFileSync } from "node:fs";
import { provider } from "../harness.ts";
import { type Campaign, choose, type Problems, tryEach, unless } from "./campaign.ts";
import { generatedHooks } from "./hooks.ts";
import { newScene } from "./scene.ts";
import { plantSpecial, SPECIAL, SPECIAL_KINDS } from "./special-kinds.ts";
import { quickClaude, SESSION } from "./stand-in.ts";

const FILES = ["launch.json", "state.json", "state.json.lock", "prompts.jsonl", "stops.jsonl", "scheduled.json"];
const CASES = FILES.flatMap((name) => SPECIAL_KINDS.map((kind) => ({ name, kind })));

export const SPECIAL_RECORD: Campaign = {
  name: "special-files/record",
  what: "Special files in the record of a session",
  how: `${SPECIAL}, in place of each file of the record; the hook ends soon, and the stop is reviewed or the user learns why not`,
  tries: CASES.length,
  quick: 3,
  run: (count, random) => tryEach(choose(CASES, count, random), 1, ({ name, kind }) => `${kind} as ${name}`, attack),
};

async function attack({ name, kind }: (typeof CASES)[number]): Promise<Problems> {
  await using scene = await newScene();
  const { place } = scene;
  await quickClaude(place, { completed: false, feedback: "FEEDBACK" });
  await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "sk-record-0123456789") } });
  await scene.run(["--supervisor", "glm", "-p", "x"]);
  const run = await generatedHooks(scene);
  const session = { session_id: SESSION, prompt_id: "prompt-1" };
  await run("SessionStart", { ...session, source: "startup" });
  await run("UserPromptSubmit", { ...session, prompt: "ORIGINAL-REQUEST" });
  const outside = place.at("mine.txt");
  writeFileSync(outside, "mine\n");
  plantSpecial(kind, place.at(`.claude/ccc/sessions/${SESSION}/${name}`), outside);

  const { stdout, stderr, isHung } = await run("Stop", {
    ...session,
    last_assistant_message: "done",
    stop_hook_active: false,
  });

  const isReviewed = stdout.includes("FEEDBACK");
  return [
    ...unless(!isHung, "the hook did not end"),
    ...unless(isReviewed || stdout.includes("NOT reviewed"), `neither reviewed nor reported: ${stdout}${stderr}`),
  ];
}
