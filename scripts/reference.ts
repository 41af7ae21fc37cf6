/** Writes docs/configuration.md from the schema in the code; with --check only says whether it is current. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { ENVIRONMENT } from "../src/cli/environment.ts";
import { ConfigSchema } from "../src/config/schema.ts";
import { fieldRows, table } from "./fields.ts";
import { writeOrCheck } from "./generated.ts";

const schema = toJsonSchema(ConfigSchema, { errorMode: "ignore" });
const text = `# Configuration

<!-- Written by scripts/reference.ts from src/config/schema.ts and src/cli/environment.ts. Change those, then \`bun run fix\`. -->

## ccc.json

In \`$CCC_CONFIG_DIR\`, else \`$CLAUDE_CONFIG_DIR\`, else \`~/.claude\`. Readable by you alone (\`chmod 600\`), if there is a key in it.
Every field may be left out, but without a provider nothing can be launched. \`{name}\` stands for any name. Fields that
ccc does not know stay as they are: in \`settings\` and in a provider they go to Claude Code, elsewhere nobody reads them.

An editor that knows JSON schemas completes and checks the file with \`"$schema": "…/ccc.schema.json"\`.

${table(["field", "type", "default", "meaning"], fieldRows(schema))}
Variables by which code is slipped into programs (\`NODE_OPTIONS\`, \`LD_PRELOAD\`, \`BUN_OPTIONS\`, \`BASH_ENV\`, …) and those that
steer ccc itself (\`CCC_…\`) are refused in \`env\`: [src/providers/forbidden.ts](../src/providers/forbidden.ts) has the list.

## Environment

What ccc itself reads. Everything else in your environment is Claude Code's, but for the keys and servers of other providers,
which ccc takes out: [src/providers/variables.ts](../src/providers/variables.ts).

${table(
  ["variable", "meaning"],
  Object.entries(ENVIRONMENT).map(([name, meaning]) => [`\`${name}\``, meaning]),
)}
\`HOME\` (on Windows \`USERPROFILE\`) and \`PATH\` count as for any program. An empty variable is as good as none. \`CCC_EXEC\`, \`CCC_LAUNCH\`,
\`CCC_RUN\` and \`CCC_SUPERVISOR_HOOK\` are marks that ccc sets for the programs that it starts: do not set them yourself.
`;
await writeOrCheck("docs/configuration.md", text, "src/config/schema.ts or src/cli/environment.ts");
