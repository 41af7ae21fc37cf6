/** The same as in package.json; a test compares them. */
export const REPOSITORY = "https://github.com/ccc-cli/ccc";

/** The URL of a page in docs/: an installed ccc has no docs folder. */
export function docsPage(page: string): string {
  return `${REPOSITORY}/blob/main/docs/${page}`;
}
