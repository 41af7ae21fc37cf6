import { expect, test } from "bun:test";
import { CCC, credentials, newPlace, newSandbox } from "../harness.ts";
import { newScreen } from "../screen.ts";

test.each(["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"])(
  "on a machine where Claude Code never ran, a provider with %s gets to the prompt",
  async (name) => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await place.config({ providers: { glm: { env: { ANTHROPIC_BASE_URL: glm.url, [name]: "glm-key" } } } });
    // The trust dialog ignores keys that come at once.
    await place.write(place.at(".claude.json"), { projects: { [place.project]: { hasTrustDialogAccepted: true } } });
    await using screen = newScreen([CCC, "glm"], { cwd: place.project, env: place.env });
    await screen.shows("Choose the text style");
    screen.type("\r");
    await screen.shows("Press Enter to continue");
    screen.type("\r");
    await screen.shows("for agents");
    screen.type("hello");
    await screen.shows("❯ hello");
    screen.type("\r");
    await screen.shows("● ok");
    expect(screen.history()).not.toContain("Unable to connect");
    for (const seen of credentials(glm)) expect(seen).toEqual({ bearer: "Bearer glm-key", key: "glm-key" });
  },
);
