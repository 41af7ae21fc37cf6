import { describe, expect, test } from "bun:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { allPins, pinOf } from "../../../src/config/pins.ts";
import { type Config, ConfigSchema } from "../../../src/config/schema.ts";

/** Links, as the file system would resolve them. */
const LINKS: Readonly<Record<string, string>> = { "/link": "/srv/client", "/home/me/toy": "/srv/toy" };

function providerOf(folder: string, folders: Config["folders"], platform: NodeJS.Platform = "linux") {
  const resolve = (path: string) => LINKS[path] ?? path;
  const pin = pinOf(folder, allPins({ folders }), { platform, resolve });
  return pin && `${pin.provider}${pin.only ? " only" : ""}`;
}

describe("the pin of a folder", () => {
  const table: [name: string, folder: string, folders: Config["folders"], provider: string | undefined][] = [
    ["nothing without pins", "/a", undefined, undefined],
    ["its own", "/a", { "/a": "glm" }, "glm"],
    ["that of a folder above", "/a/b/c", { "/a": { provider: "glm", only: true } }, "glm only"],
    ["the nearest, in whatever order", "/a/b/c", { "/a": "glm", "/a/b": "kimi", "/": "qwen" }, "kimi"],
    ["the nearest counts whole", "/a/b", { "/a": { provider: "glm", only: true }, "/a/b": "kimi" }, "kimi"],
    ["not that of a folder below", "/a", { "/a/b": "glm" }, undefined],
    ["not that of a longer name", "/abc", { "/ab": "glm" }, undefined],
    ["not another case", "/Work", { "/work": "glm" }, undefined],
    ["with a slash at the end", "/a/b", { "/a/": "glm" }, "glm"],
    ["of everything", "/a", { "/": "glm" }, "glm"],
    ["in a folder that is a link", "/link", { "/srv/client": "glm" }, "glm"],
    ["of a folder that is pinned by a link", "/srv/toy/x", { "/home/me/toy": "kimi" }, "kimi"],
    [
      "of two paths to one folder, the stricter",
      "/srv/client",
      { "/link": { provider: "glm", only: true }, "/srv/client": "kimi" },
      "glm only",
    ],
    [
      "of two paths to one folder, the stricter, in whatever order",
      "/srv/client",
      { "/link": "kimi", "/srv/client": { provider: "glm", only: true } },
      "glm only",
    ],
    [
      "of two paths to one folder, the first, if none is strict",
      "/srv/client",
      { "/link": "glm", "/srv/client": "kimi" },
      "glm",
    ],
  ];
  for (const [name, folder, folders, provider] of table)
    test(name, () => expect(providerOf(folder, folders)).toBe(provider));

  test("on Windows, in any case and with any slash", () => {
    const folders = { "C:\\Work\\Client": "glm" };
    expect(providerOf("c:/work/client/src", folders, "win32")).toBe("glm");
    expect(providerOf("D:\\Work\\Client", folders, "win32")).toBeUndefined();
  });

  test("on macOS, in any case", () => {
    expect(providerOf("/Users/me/Client", { "/users/me/client": "glm" }, "darwin")).toBe("glm");
  });
});

test("a pin without `only` is as strict as editors are told", () => {
  const { folders } = toJsonSchema(ConfigSchema, { errorMode: "ignore" }).properties ?? {};
  const [pin] = allPins({ folders: { "/x": { provider: "glm" } } });
  expect(JSON.stringify(folders)).toContain(`"default":${pin?.only}`);
  expect(pin?.only).toBe(false);
});
