import { expect, test } from "bun:test";
import { tagProblem } from "../../../scripts/release/tag.ts";

const own = { version: "1.2.3", repository: "github:owner/ccc" };

const TABLE: [name: string, tag: string, builtIn: string, problem: string | undefined][] = [
  ["the version, in its own repository", "v1.2.3", "owner/ccc", undefined],
  ["another version", "v1.2.4", "owner/ccc", "the tag is v1.2.4, but package.json has version 1.2.3"],
  ["no v", "1.2.3", "owner/ccc", "the tag is 1.2.3, but package.json has version 1.2.3"],
  ["a fork", "v1.2.3", "fork/ccc", "this is fork/ccc, but package.json has repository github:owner/ccc"],
];
for (const [name, tag, builtIn, problem] of TABLE)
  test(`tagProblem: ${name}`, () => expect(tagProblem(own, tag, builtIn)).toBe(problem));
