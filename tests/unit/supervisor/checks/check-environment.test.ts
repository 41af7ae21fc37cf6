import { expect, test } from "bun:test";
import { checkEnvironment } from "../../../../src/supervisor/checks/check-environment.ts";

test("a check has the user's environment, but no key of a provider under any name, and no mark of ccc or the session", () => {
  const kept = { PATH: "/bin", HOME: "/h", NPM_TOKEN: "npm_secret_of_the_user", NODE_ENV: "test", EMPTY: "" };
  const env = {
    ...kept,
    ANTHROPIC_AUTH_TOKEN: "sk-a",
    ANTHROPIC_BASE_URL: "https://x",
    AWS_BEARER_TOKEN_BEDROCK: "b",
    GLM_API_KEY: "glm-secret-key",
    HEADER: "Bearer glm-secret-key",
    CCC_SUPERVISOR: "1",
    CCC_CONFIG_DIR: "/c",
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "s",
  };
  expect(checkEnvironment(env, ["glm-secret-key", "t", ""])).toEqual(kept);
});

test("a text of fewer than eight characters is in values by chance", () => {
  const env = { EIGHT: "a key-4567 b", SEVEN: "a key-456" };
  expect(checkEnvironment(env, ["key-4567"])).toEqual({ SEVEN: "a key-456" });
  expect(checkEnvironment(env, ["key-456"])).toEqual(env);
});
