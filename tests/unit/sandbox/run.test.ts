import { expect, test } from "bun:test";
import type { ChildRequest } from "../../../src/os/child.ts";
import { runScripted, type ScriptedRun } from "../../../src/sandbox/sandbox.ts";
import { fakeWorld } from "../fakes.ts";

const RUN: ScriptedRun = {
  claude: "/opt/claude",
  engine: "hook",
  task: "do it",
  options: ["--model", "m"],
  checks: ["true", "make"],
  script: () => () => ({ say: "done" }),
};

/** What ccc runs, and what the caller sees of it. */
async function scripted(parts: Partial<ScriptedRun>) {
  const requests: ChildRequest[] = [];
  let isRemoved = false;
  const { world, files } = fakeWorld({
    env: { HOME: "/home/u", PATH: "/bin", GLM_API_KEY: "secret" },
    scratch: () => ({
      path: "/scratch",
      remove: () => {
        isRemoved = true;
      },
    }),
    run: async (request) => {
      requests.push(request);
      const isStopped = request.onLine(new TextEncoder().encode("the first line of many"));
      return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "" };
    },
  });
  const seen = await runScripted(world, { ...RUN, ...parts }, ({ ended, project }) => ({ ended, project, isRemoved }));
  return { seen, request: requests[0], files, isRemoved: () => isRemoved };
}

test.each([
  ["hook", ["-p"]],
  ["loop", []],
] as const)("the %s engine gets the task with %j", async (engine, print) => {
  const { request } = await scripted({ engine });
  expect(request?.program.args).toEqual([
    ...["--supervisor", "--engine", engine, "--check", "true", "--check", "make", "scripted"],
    ...[...print, "--model", "m", "--", "do it"],
  ]);
});

test("the run goes on to its end, and its files stay until the caller has looked at them", async () => {
  const { seen, isRemoved } = await scripted({});
  expect(seen).toMatchObject({ ended: { ending: "exited" }, project: "/scratch/project", isRemoved: false });
  expect(isRemoved()).toBe(true);
});

test("nothing of the user's own reaches it: no file, no key", async () => {
  const { request } = await scripted({});
  expect(request?.program.env).toMatchObject({ HOME: "/scratch/home", CCC_CLAUDE: "/opt/claude", TMPDIR: "/scratch" });
  expect(request?.program.env).not.toHaveProperty("GLM_API_KEY");
});

test.each([undefined, "Be strict."])("the reviewer's instructions are %j", async (instructions) => {
  const { files } = await scripted(instructions === undefined ? {} : { instructions });
  expect(files.read("/scratch/project/SUPERVISOR.md")).toBe(instructions);
});
