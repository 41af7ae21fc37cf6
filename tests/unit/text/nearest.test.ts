import { describe, expect, test } from "bun:test";
import { nearest } from "../../../src/text/nearest.ts";

describe("what was meant by", () => {
  const table: [word: string, candidates: string[], meant: string | undefined, why: string][] = [
    ["GLM", ["kimi", "glm"], "glm", "case does not count"],
    ["gm", ["glm"], "glm", "a letter left out"],
    ["gllm", ["glm"], "glm", "a letter too many"],
    ["gxm", ["glm"], "glm", "a wrong letter"],
    ["lgm", ["glm"], "glm", "two letters swapped at the start"],
    ["gml", ["glm"], "glm", "two letters swapped at the end"],
    ["caxy", ["abxy"], undefined, "two letters that are not swapped are two mistakes"],
    ["bcxy", ["abxy"], undefined, "nor are these"],
    ["cdxy", ["abxy"], undefined, "two wrong letters"],
    ["kimmy", ["kimi"], undefined, "two mistakes are too many for a short name"],
    ["quenz", ["qwens"], undefined, "also for one of five letters"],
    ["clad", ["claude"], "claude", "but not for one of six"],
    ["clad", ["claudeX"], undefined, "three are always too many"],
    ["gl", ["go"], undefined, "a name of two letters must be right"],
    ["og", ["go"], undefined, "and in order"],
    ["GO", ["go"], "go", "which it is here"],
    ["bat", ["cat", "hat"], "cat", "the first of equally good ones"],
    ["cat", ["bat", "cat"], "cat", "the best one"],
    ["", ["glm"], undefined, "nothing means nothing"],
  ];
  test.each(table)("%p, if there are %j: %p (%s)", (word, candidates, meant) => {
    expect(nearest(word, candidates)).toBe(meant);
  });

  test("the caller can allow fewer mistakes", () => {
    expect(nearest("clade", ["claude"], () => 1)).toBe("claude");
    expect(nearest("clad", ["claude"], () => 1)).toBeUndefined();
  });
});
