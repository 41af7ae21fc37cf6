import { describe, expect, test } from "bun:test";
import { classify } from "../../../../src/commands/validate/classify.ts";
import type { Cause, Validation } from "../../../../src/commands/validate/validation.ts";

const KEY = "sk-a1b2c3d4e5f6g7h8";
const message = { id: "m", type: "message", role: "assistant", content: [], stop_reason: "max_tokens" };
const anthropic = (type: string, text: string) => ({ type: "error", error: { type, message: text } });
const openai = (text: string, code?: string) => ({ error: { message: text, type: "invalid_request_error", code } });

function verdict(status: number, body: unknown, location = ""): Validation {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return classify({ status, location, body: text }, { base: "https://api.x.ai", model: "glm-4.7", secrets: [KEY] });
}

const table: [name: string, status: number, body: unknown, verdict: Validation["status"], cause: Cause][] = [
  ["a message", 200, message, "valid", "answered"],
  ["a stream", 200, 'event: message_start\ndata: {"type":"message_start"}\n\n', "valid", "answered"],
  ["a stream without names", 200, 'data: {"type":"message_start"}\n\n', "valid", "answered"],
  ["a completion of OpenAI's", 200, { object: "chat.completion", choices: [] }, "invalid", "not_anthropic"],
  ["a stream of OpenAI's", 200, 'data: {"object":"chat.completion.chunk"}', "invalid", "not_anthropic"],
  ["choices alone, as OpenAI's", 200, { choices: [] }, "invalid", "not_anthropic"],
  ["a message without content", 200, { type: "message" }, "invalid", "not_anthropic"],
  ["content that is no message", 200, { content: [] }, "invalid", "not_anthropic"],
  ["a page", 200, "<!DOCTYPE html><html></html>", "invalid", "not_anthropic"],
  ["nothing", 200, "", "invalid", "not_anthropic"],
  ["some other JSON", 200, { hello: "world" }, "invalid", "not_anthropic"],
  ["a list", 200, [1], "invalid", "not_anthropic"],
  ["an error without a type in a 200", 200, { message: "hello there" }, "invalid", "not_anthropic"],
  ["a refusal in a 200", 200, { code: 401, msg: "expired", success: false }, "invalid", "key_refused"],
  ["a bad request in a 200", 200, { code: 400, msg: "bad" }, "invalid", "request_refused"],
  ["a number that is no status in a 200", 200, { code: 600, msg: "bad" }, "invalid", "not_anthropic"],
  ["a refusal in words in a 200", 200, { code: 1001, msg: "Authentication missing" }, "invalid", "key_refused"],
  ["an error of Anthropic's in a 200", 200, anthropic("authentication_error", "no"), "invalid", "key_refused"],
  ["401", 401, anthropic("authentication_error", "invalid x-api-key"), "invalid", "key_refused"],
  ["401 without a word", 401, "", "invalid", "key_refused"],
  ["401 of a server that is not Anthropic's", 401, openai("Incorrect API key"), "invalid", "key_refused"],
  ["401 with a page", 401, "<html>", "invalid", "key_refused"],
  ["403", 403, anthropic("permission_error", "not for you"), "invalid", "key_refused"],
  ["403 with a page, of a firewall", 403, "<html>blocked</html>", "invalid", "not_anthropic"],
  ["402", 402, { error: { message: "Insufficient Balance" } }, "invalid", "out_of_credit"],
  [
    "400 about credit",
    400,
    anthropic("invalid_request_error", "Your credit balance is too low"),
    "invalid",
    "out_of_credit",
  ],
  [
    "429 about credit",
    429,
    { error: { code: "1113", message: "Insufficient balance or no resource package" } },
    "invalid",
    "out_of_credit",
  ],
  ["429", 429, anthropic("rate_limit_error", "slow down"), "valid", "rate_limited"],
  ["429 without a word", 429, "", "valid", "rate_limited"],
  ["404 about the model", 404, anthropic("not_found_error", "model: glm-4.7"), "invalid", "model_unknown"],
  [
    "404 about a model, by OpenAI's book",
    404,
    openai("The model does not exist", "model_not_found"),
    "invalid",
    "model_unknown",
  ],
  ["404 about a model, by its type alone", 404, openai("Sorry", "model_not_found"), "invalid", "model_unknown"],
  ["422 about the model", 422, openai("Unknown model glm-4.7"), "invalid", "model_unknown"],
  ["500 that mentions the model", 500, anthropic("api_error", "Model not available"), "invalid", "server_error"],
  ["400 about the model", 400, anthropic("invalid_request_error", "Unknown model glm-4.7"), "invalid", "model_unknown"],
  [
    "400 about the model, in Chinese",
    400,
    { error: { code: "1211", message: "模型不存在" } },
    "invalid",
    "model_unknown",
  ],
  [
    "400 that only mentions a model",
    400,
    anthropic("invalid_request_error", "this model wants max_tokens > 1"),
    "invalid",
    "request_refused",
  ],
  ["404 that only says so", 404, anthropic("not_found_error", "Not found"), "invalid", "wrong_path"],
  ["404 without a word", 404, "", "invalid", "wrong_path"],
  ["404 with a page", 404, "<html>404</html>", "invalid", "wrong_path"],
  ["404 in plain text", 404, "404 page not found", "invalid", "wrong_path"],
  ["404 of a web framework", 404, { detail: "Not Found" }, "invalid", "wrong_path"],
  ["405", 405, { detail: "Method Not Allowed" }, "invalid", "wrong_path"],
  [
    "400 about something else",
    400,
    anthropic("invalid_request_error", "max_tokens: too small"),
    "invalid",
    "request_refused",
  ],
  ["400 without a word", 400, "", "invalid", "not_anthropic"],
  ["407", 407, "", "invalid", "unreachable"],
  ["500", 500, anthropic("api_error", "oops"), "invalid", "server_error"],
  ["502 with a page", 502, "<html>Bad Gateway</html>", "invalid", "server_error"],
  ["529", 529, anthropic("overloaded_error", "Overloaded"), "invalid", "server_error"],
  ["300", 300, message, "invalid", "redirected"],
  ["301", 301, "", "invalid", "redirected"],
  ["307", 307, message, "invalid", "redirected"],
];

describe("an answer means", () => {
  for (const [name, status, body, expected, cause] of table) {
    test(`${cause}: ${name}`, () => {
      const found = verdict(status, body);
      expect(found).toMatchObject({ status: expected, cause });
      expect(found.detail).toContain("http");
      expect(found.advice === "").toBe(cause === "answered");
    });
  }
});

test("the detail quotes the server", () => {
  expect(verdict(401, anthropic("authentication_error", "invalid x-api-key")).detail).toBe(
    'https://api.x.ai rejects the key (status 401, "invalid x-api-key")',
  );
  expect(verdict(307, "", "https://elsewhere/login").detail).toContain("redirects to https://elsewhere/login");
});

test("the detail says what answers instead of a model", () => {
  const table: [body: unknown, what: string][] = [
    [{ object: "chat.completion" }, "answers in OpenAI's format"],
    [{ choices: [] }, "answers in OpenAI's format"],
    ['data: {"object":"chat.completion.chunk"}', "answers in OpenAI's format"],
    ["<html>", "answers with a web page (status 200)"],
    [{ hello: "world" }, "answers with something other than a model's message (status 200)"],
  ];
  for (const [body, what] of table) expect(verdict(200, body).detail).toContain(what);
});

describe("nothing of a key that a server repeats is shown", () => {
  const repeated = [
    KEY,
    `Bearer ${KEY}`,
    `key=${KEY},`,
    KEY.slice(0, 9),
    KEY.slice(-8),
    KEY.slice(-6),
    `"${KEY.slice(2, 10)}***"`,
  ];
  for (const text of repeated) {
    test(text.replaceAll(KEY, "KEY"), () => {
      const { detail } = verdict(401, anthropic("authentication_error", `wrong: ${text} is no key`));
      expect(detail).toContain("wrong: ");
      expect(detail).toContain("is no key");
      for (let at = 0; at + 6 <= KEY.length; at++) expect(detail).not.toContain(KEY.slice(at, at + 6));
    });
  }
  test("nor in the address that it redirects to", () => {
    expect(verdict(302, "", `https://x/${KEY}`).detail).not.toContain(KEY);
  });
});

test("a server's message cannot control or flood the terminal", () => {
  const { detail } = verdict(400, anthropic("x", `\u001b[31mred\u0007\n\u202eline two${" very".repeat(500)}`));
  expect(detail).toContain('"red line two very very');
  expect(detail).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(detail.length).toBeLessThan(400);
});

test("a message is cut only if it is too long", () => {
  const said = (length: number) => verdict(400, anthropic("x", "y".repeat(length))).detail;
  expect(said(300)).toContain(`"${"y".repeat(300)}"`);
  expect(said(301)).toContain(`"${"y".repeat(300)}…"`);
});
