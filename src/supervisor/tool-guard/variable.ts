/** In the reviewer's environment: the folders that it may read, as JSON. */
export const FOLDERS_VARIABLE = "CCC_REVIEW_FOLDERS";
