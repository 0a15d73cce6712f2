import { dtypeNames } from "../table/dtype_name.ts";
import type { DataFrame } from "../table/polars.ts";
import { exactTexts } from "./exact_texts.ts";

function escaped(text: string): string {
  return text.replace(
    /[\\|*`[\]<>]|(?<!\w)_|_(?!\w)/g,
    (character) => character === "<" ? "&lt;" : character === ">" ? "&gt;" : `\\${character}`,
  ).replace(
    /\r\n|\r|\n/g,
    "<br>",
  );
}

/** A frame as a Markdown table: numbers exact and to the right, null as `null`. */
export function markdownText(frame: DataFrame): string {
  const columns = dtypeNames(frame).map((dtype, index) => {
    const name = frame.columns[index]!;
    const cells = exactTexts(frame.getColumn(name), dtype).map((text) => escaped(text ?? "null"));
    return [escaped(name), /^(U?Int|Float)/.test(dtype) ? "---:" : "---", ...cells];
  });
  return Array.from(
    { length: frame.height + 2 },
    (_, line) => `| ${columns.map((column) => column[line]).join(" | ")} |\n`,
  ).join("");
}
