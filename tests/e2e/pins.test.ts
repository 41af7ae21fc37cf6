import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CCC, inTurn, newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

test("in a folder pinned to one provider with --only, no other provider gets a request", async () => {
  await using kimi = newSandbox(inTurn({ reviewer: [DONE] }));
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [DONE, DONE] }));
  await place.config({
    providers: { glm: provider(place.sandbox, "glm-token"), kimi: provider(kimi, "kimi-token") },
    current_provider: "kimi",
    supervisor: { ...ONE_REVIEW, provider: "kimi", model: "kimi-k2", fallback: ["kimi"] },
  });
  // Pinned through a link, used from a subfolder of the real one.
  const link = place.at("link");
  await symlink(place.project, link);
  const below = join(place.project, "src");
  await mkdir(below);
  const pinned = await place.ccc(["pin", "glm", "--only", "--folder", link]);
  expect(pinned).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${place.project} is pinned to glm only.`),
  });

  const refused = {
    exitCode: 2,
    stderr: expect.stringContaining("is pinned to glm only: kimi must not see its files"),
  };
  expect(await place.ccc(["kimi", "-p", "the task"], { cwd: below })).toMatchObject(refused);
  await symlink(CCC, join(place.bin, "ccc-kimi"));
  const linked = Bun.spawn([join(place.bin, "ccc-kimi"), "-p", "the task"], {
    cwd: below,
    env: place.env,
    stderr: "pipe",
    stdout: "ignore",
  });
  expect(await new Response(linked.stderr).text()).toContain("kimi must not see its files");

  const ran = await place.ccc(["--supervisor", "-p", "the task"]);
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(ran.stderr).toContain(`using glm, which ${place.project} is pinned to`);
  expect(ran.stderr).toContain("kimi does not review here");
  expect(ran.stderr).toContain("glm, reviewed by glm, at most");

  expect(await place.ccc(["review", "--provider", "kimi"])).toMatchObject(refused);
  const review = await place.ccc(["review"]);
  expect(review.stderr).toContain("glm reviews instead");

  expect(kimi.received).toEqual([]);
  expect(place.sandbox.received.filter(({ role }) => role === "reviewer").length).toBeGreaterThan(1);
});
