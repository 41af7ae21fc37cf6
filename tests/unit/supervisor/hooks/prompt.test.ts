import { expect, test } from "bun:test";
import { startMessage } from "../../../../src/supervisor/hooks/prompt.ts";

const LAUNCH = {
  ...{ cwd: "/p", claude: "/claude", version: null, same_model: true, reviewer: "kimi:k2", fallback: [] },
  ...{ environment: { salt: "", plain: {}, hashed: [] }, instructions: { path: null, text: "" } },
  checks: { commands: [], left_out: [] },
};
const TOLD = "Every stop is reviewed by kimi:k2. To switch that off in this session: /ccc:supervisor off";

test.each([
  ["startup", "cli", TOLD],
  ["resume", "cli", TOLD],
  ["clear", "cli", undefined],
  ["compact", "cli", undefined],
  ["startup", "sdk-cli", undefined],
])("a session that starts by %s, %s: %p", (source, entrypoint, told) =>
  expect(startMessage(source, LAUNCH, { CLAUDE_CODE_ENTRYPOINT: entrypoint })).toBe(told),
);
