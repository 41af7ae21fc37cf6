import { expect, spyOn, test } from "bun:test";
import { keychainOf } from "../../../src/os/keychain.ts";

test("secrets are kept in the system's keychain under the name of ccc", async () => {
  using get = spyOn(Bun.secrets, "get").mockImplementation(async () => "a key");
  using set = spyOn(Bun.secrets, "set").mockImplementation(async () => {});
  using remove = spyOn(Bun.secrets, "delete").mockImplementation(async () => true);
  for (const env of [{}, { CCC_KEYCHAIN: "1" }, { CCC_KEYCHAIN: "" }]) {
    const keychain = keychainOf(env);
    expect(await keychain.get("glm")).toBe("a key");
    await keychain.set("glm", "new");
    await keychain.remove("glm");
  }
  expect([get.mock.calls.length, set.mock.calls.length, remove.mock.calls.length]).toEqual([3, 3, 3]);
  expect(set.mock.calls[0]).toEqual([{ service: "ccc", name: "glm", value: "new" }]);
});

test("a user who has switched it off is not asked by the system", async () => {
  using get = spyOn(Bun.secrets, "get").mockImplementation(async () => "a key");
  const keychain = keychainOf({ CCC_KEYCHAIN: "0" });
  for (const action of [keychain.get("glm"), keychain.set("glm", "new"), keychain.remove("glm")])
    await expect(action).rejects.toThrow("CCC_KEYCHAIN is 0");
  expect(get).not.toHaveBeenCalled();
});
