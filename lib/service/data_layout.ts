/**
 * The version of the tables in a file of data. A file of another version is not served: it has to be
 * built again.
 */
export const DATA_LAYOUT = 1;
