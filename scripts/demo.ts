/** Runs the real Claude Code through dist/ccc on two providers that are scripted APIs of this machine: no key, no cost. */
import { startSandbox } from "../src/sandbox/server.ts";
import { inTurn } from "../src/sandbox/turns.ts";
import { newPlace } from "../tests/harness.ts";

await using place = await newPlace();
const sandboxes = { glm: startSandbox(answering("glm")), kimi: startSandbox(answering("kimi")) };
const providers = Object.entries(sandboxes).map(([name, { url }]) => [
  name,
  { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: `${name}-key-of-the-demo` } },
]);
await place.config({ providers: Object.fromEntries(providers) });

console.log("Two providers, both on this machine. ANTHROPIC_API_KEY in the shell belongs to neither.");
for (const args of [
  ["provider", "list"],
  ["glm", "-p", "who are you?"],
  ["kimi", "-p", "who are you?"],
]) {
  console.log(`\n$ ccc ${args.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")}`);
  const { stdout, stderr, exitCode } = await place.ccc(args, { env: { ANTHROPIC_API_KEY: "a-key-of-somebody-else" } });
  process.stdout.write(stdout);
  if (exitCode !== 0) throw new Error(`ended with ${exitCode}: ${stderr}`);
}

console.log("\nWhat the two servers were sent:");
for (const [name, { received, stop }] of Object.entries(sandboxes)) {
  const sent = received.map(({ headers }) => `${headers.authorization}, x-api-key: ${headers["x-api-key"] ?? "none"}`);
  console.log(`  ${name.padEnd(5)} ${[...new Set(sent)].join(" and ")}`);
  await stop();
}

function answering(name: string) {
  return inTurn({ agent: [{ say: `I am Claude Code, and the server called ${name} answers.` }] });
}
