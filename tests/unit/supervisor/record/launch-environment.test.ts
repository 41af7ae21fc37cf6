import { describe, expect, test } from "bun:test";
import { launchEnvironment, rememberEnvironment } from "../../../../src/supervisor/record/launch-environment.ts";

const shell = { PATH: "/usr/bin", HOME: "/home/me", LC_ALL: "C", GLM_KEY: "secret-value", EDITOR: "my-editor" };
const launch = rememberEnvironment(shell);

describe("launchEnvironment", () => {
  const table: [name: string, hook: Record<string, string>, expected: Record<string, string>][] = [
    ["the same environment", shell, shell],
    ["a variable that was added", { ...shell, NODE_OPTIONS: "--require ./x.js" }, shell],
    ["PATH that was changed", { ...shell, PATH: "/project/bin" }, shell],
    ["HOME that was changed", { ...shell, HOME: "/project" }, shell],
    ["a variable that was changed is left out", { ...shell, EDITOR: "./x" }, without("EDITOR")],
    ["a secret that the hook does not have is not known", { PATH: "/usr/bin" }, without("GLM_KEY", "EDITOR")],
    ["a value under another name is another variable", { OTHER: "secret-value" }, without("GLM_KEY", "EDITOR")],
  ];
  for (const [name, hook, expected] of table)
    test(name, () => expect(launchEnvironment(launch, hook)).toEqual(expected));
});

test("no value that may be a secret is saved", () => {
  expect(JSON.stringify(launch)).not.toContain("secret-value");
  expect(JSON.stringify(launch)).not.toContain("my-editor");
});

function without(...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(shell).filter(([name]) => !names.includes(name)));
}
