/** Why the reviewer may not do something. The reviewer sees the message. */
export class Refusal extends Error {}

export function refuseCommand(what: string): never {
  throw new Refusal(
    `not part of a review: ${what}. You may read the project's files, inspect it with git and run its tests, with plain commands: no variables, substitutions or redirections`,
  );
}
