// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
/** The one door to the standard library's CSV reader, which comes without types. */
import { parse } from "npm:deno-std@1.4.0/csv/parse.js";

/** The rows of a CSV text, every cell a text. */
export const parseCsv: (text: string) => string[][] = parse;
