/** A program that speaks JSON-RPC in lines on stdin and stdout, as servers of ACP and MCP do. */
export interface Rpc extends AsyncDisposable {
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers is compared, or fails.
  ask(method: string, params: object): Promise<any>;
  tell(method: string, params: object): void;
}

interface Given {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the server asks. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly answers?: Readonly<Record<string, (params: any) => object>>;
  /** What it says without asking. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly told?: Readonly<Record<string, (params: any) => void>>;
}

export function startRpc(command: readonly string[], { cwd, env, answers = {}, told = {} }: Given): Rpc {
  const child = Bun.spawn([...command], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.flush();
  };
  const take = ({ id, method, params, result, error }: Message) => {
    if (method === undefined) {
      if (error === undefined) asked.get(id)?.resolve(result);
      else asked.get(id)?.reject(new Error(JSON.stringify(error)));
    } else if (id === undefined) told[method]?.(params);
    else send({ id, result: answers[method]?.(params) ?? {} });
  };
  const stderr = child.stderr.text();
  const ended = (async () => {
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) take(JSON.parse(line));
    }
    const gone = new Error(`${command.join(" ")} has ended: ${await stderr}`);
    for (const { reject } of asked.values()) reject(gone);
  })();
  return {
    ask: (method, params) => {
      const id = asked.size + 1;
      const answer = Promise.withResolvers<unknown>();
      asked.set(id, answer);
      send({ id, method, params });
      return answer.promise;
    },
    tell: (method, params) => send({ method, params }),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
