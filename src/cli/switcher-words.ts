const LEFT = "What is left at a provider: `ccc usage`.";
const LIST = "Your providers: `ccc provider list`.";
const START = "To start a provider: `ccc NAME`. For plain claude: `ccc use NAME`. For this folder: `ccc pin NAME`.";
const PRESETS = "The presets: `ccc provider presets`.";
const CONFIG = `${LIST} One of them: \`ccc provider show\`. Where a setting comes from: \`ccc why\`.`;
const SUPERVISED =
  "To start with reviews: `ccc --supervisor NAME`. To switch them in a session: `/ccc:supervisor on` or `off`.";
const FOREIGN =
  "ccc runs providers that speak Anthropic's API. For a gateway that translates: `ccc provider add NAME --base-url URL`.";

/**
 * Words that people expect to be commands, and what to type instead. On their own they are not prompts: a prompt costs money.
 * Made only when asked for: a launch that makes many objects starts a thread of the engine.
 */
export const switcherWords = (): Readonly<Record<string, string>> => ({
  add: "To add a provider: `ccc provider add`.",
  balance: LEFT,
  change: START,
  choose: START,
  codex: FOREIGN,
  config: CONFIG,
  current: "The providers, with the one that plain ccc uses here: `ccc provider list`.",
  delete: "To remove a provider: `ccc provider remove NAME`.",
  edit: "To edit a provider: `ccc provider edit NAME`. To change its key: `ccc provider set-key NAME`.",
  env: "The variables of a provider: `ccc provider show`.",
  gemini: FOREIGN,
  get: "To see a provider: `ccc provider show`.",
  list: LIST,
  login: "To use a Claude subscription: `ccc provider add anthropic`. To log in there: `ccc auth login`.",
  logout: "To remove a provider with its key: `ccc provider remove NAME`. To log out of Claude: `ccc auth logout`.",
  ls: LIST,
  model: "The models of a provider: `ccc provider show`. To choose one for a session: `ccc NAME --model MODEL`.",
  models: "The models of a provider: `ccc provider show`. Those of the presets: `ccc provider presets`.",
  new: "To add a provider: `ccc provider add`.",
  openai: FOREIGN,
  preset: PRESETS,
  presets: PRESETS,
  profile: LIST,
  profiles: LIST,
  providers: LIST,
  quota: LEFT,
  remove: "To remove a provider: `ccc provider remove NAME`.",
  rename: "To rename a provider: `ccc provider rename`.",
  reset: "To undo what `ccc use` did: `ccc use --reset`.",
  select: START,
  set: "To change a key: `ccc provider set-key`. For plain claude: `ccc use NAME`. For this folder: `ccc pin NAME`.",
  "set-key": "To change a key: `ccc provider set-key NAME`.",
  settings: CONFIG,
  setup: "To add a provider: `ccc provider add`. To check the setup: `ccc doctor`.",
  show: "To see a provider: `ccc provider show`.",
  status: "Which key goes where: `ccc why`. What plain claude uses: `ccc use`. To check the setup: `ccc doctor`.",
  supervise: SUPERVISED,
  supervisor: SUPERVISED,
  switch: START,
  unpin: "To remove the pin of this folder: `ccc pin --remove`.",
});
