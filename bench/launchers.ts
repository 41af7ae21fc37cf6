/** ccc, and other programs on npm that start claude on a provider, each configured as its own documentation says. */

export interface Launcher {
  /** On npm. ccc is built here. */
  readonly package?: string;
  readonly version?: string;
  /** What is in its home: paths and content. `port` is free, for a launcher that runs a server. */
  readonly files: (provider: Provider, port: number) => Readonly<Record<string, object>>;
  /** A program, and its arguments. */
  readonly launch: readonly string[];
  /** For a launcher that runs a server: what stops it. */
  readonly stop?: readonly string[];
}

export interface Provider {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const variables = ({ url, key, model }: Provider) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
});

const router: Launcher = {
  package: "@musistudio/claude-code-router",
  files: ({ url, key, model }, port) => {
    const glm = { name: "glm", api_base_url: `${url}/v1/messages`, api_key: key, models: [model] };
    const Providers = [{ ...glm, transformer: { use: ["Anthropic"] } }];
    return { ".claude-code-router/config.json": { LOG: false, PORT: port, Providers, Router: { default: "glm,m" } } };
  },
  launch: ["ccr", "code"],
  stop: ["ccr", "stop"],
};

export const LAUNCHERS: readonly Launcher[] = [
  {
    files: (provider) => {
      const glm = { env: variables(provider) };
      return { ".claude/ccc.json": { current_provider: "glm", providers: { glm, kimi: glm } } };
    },
    launch: ["ccc", "glm"],
  },
  {
    package: "@kaitranntt/ccs",
    version: "7.79.1",
    files: (provider) => ({
      ".ccs/config.json": { profiles: { glm: "~/.ccs/glm.settings.json" } },
      ".ccs/glm.settings.json": { env: variables(provider) },
    }),
    launch: ["ccs", "glm"],
  },
  { ...router, version: "3.1.1" },
  // An older one, with nothing else to install.
  { ...router, version: "2.0.0" },
  { package: "claudish", version: "10.1.1", files: () => ({}), launch: ["claudish"] },
];

/** Launchers that npm does not have. */
export const NOT_ON_NPM: Readonly<Record<string, string>> = {
  clother: "not on npm: its releases are programs on GitHub",
  "CC Switch": "not on npm: a desktop app",
};
