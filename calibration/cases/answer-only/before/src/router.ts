export interface Options {
  session?: "needed" | "none";
  role?: "admin";
  body?: "json" | "raw";
}

export interface Route extends Options {
  method: string;
  path: string;
  handler: () => Response;
}

export function route(method: string, path: string, handler: () => Response, options: Options = {}): Route {
  return { session: "needed", ...options, method, path, handler };
}
