import { expect, test } from "bun:test";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { finish, windowsPlace } from "./windows-place.ts";

/** A model that never answers. */
function silentModel() {
  const asked = Promise.withResolvers<void>();
  const script: Script = () => {
    asked.resolve();
    return { say: "too late", after: new Promise(() => {}) };
  };
  return { script, asked: asked.promise };
}

/** Wine turns an interrupt of the process group into Ctrl-C. On Windows that would need a separate console. */
if (process.platform !== "win32") {
  test("Ctrl-C ends claude, and ccc with it", async () => {
    const { script, asked } = silentModel();
    await using place = await windowsPlace(script);
    const child = place.start(["glm", "-p", "work"]);
    await asked;

    process.kill(-child.pid, "SIGINT");

    expect((await finish(child)).stdout).not.toContain("too late");
    expect(running(place.windowsAt())).toEqual([]);
  });

  test("Ctrl-C ends the loop engine and its agent", async () => {
    const { script, asked } = silentModel();
    await using place = await windowsPlace(script);
    const child = place.start(["--engine", "loop", "glm", "work"]);
    await asked;

    process.kill(-child.pid, "SIGINT");

    const { exitCode, stderr } = await finish(child);
    expect(exitCode).toBe(130);
    expect(stderr).toContain("Interrupted by Ctrl-C while the agent was working.");
    expect(running(place.windowsAt())).toEqual([]);
  });
}

/** The running programs that have a path of this place in their arguments. */
function running(path: string): string[] {
  const { stdout } = Bun.spawnSync(["ps", "-e", "-o", "args="]);
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line.includes(path));
}
