/** Where ccc is at home, as package.json says it; a test compares them. */
export const REPOSITORY = "https://github.com/ccc-cli/ccc";

/** A page of docs/, for those who installed ccc and have no docs/. */
export function docsPage(page: string): string {
  return `${REPOSITORY}/blob/main/docs/${page}`;
}
