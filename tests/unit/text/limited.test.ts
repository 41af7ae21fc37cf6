import { expect, test } from "bun:test";
import { limited } from "../../../src/text/limited.ts";

test("passes on texts up to the limit of texts or characters, then says once that there was more", () => {
  const said: string[] = [];
  const say = limited((text) => said.push(text), { texts: 2, characters: 100 }, "more");
  for (const text of ["a", "b", "c", "d"]) say(text);
  expect(said).toEqual(["a", "b", "more"]);

  said.length = 0;
  const brief = limited((text) => said.push(text), { texts: 100, characters: 3 }, "more");
  for (const text of ["ab", "c", "d", "e"]) brief(text);
  expect(said).toEqual(["ab", "c", "more"]);
});
