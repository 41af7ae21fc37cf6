/** Why a reviewer may not do what it wants to do, in words that it is told. */
export class Refusal extends Error {}

export function refuseCommand(what: string): never {
  throw new Refusal(
    `not part of a review: ${what}. You may read files of the project, use git to look, and run its tests, in plain commands without variables, substitutions and redirections`,
  );
}
