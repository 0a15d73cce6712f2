import { cellText } from "./cell_text.ts";
import { dtypeNames } from "./dtype_name.ts";
import { type DataFrame, pl } from "./polars.ts";

const END = 5;

/** A column of an excerpt. */
export interface ExcerptColumn {
  readonly name: string;
  readonly dtype: string;
  /** Whether the cells are numbers, which stand to the right. */
  readonly numeric: boolean;
  /** The texts of the first and the last rows; `…` for those between. */
  readonly cells: readonly string[];
}

/** The first and the last rows of a frame, all of a short one, as texts. */
export interface Excerpt {
  readonly height: number;
  readonly width: number;
  readonly columns: readonly ExcerptColumn[];
}

/** Takes the excerpt of a frame that its display shows. */
export function excerptOf(frame: DataFrame): Excerpt {
  const { height, width } = frame;
  const cut = height > 2 * END;
  const rows = cut ? pl.concat([frame.head(END), frame.tail(END)]) : frame;
  const columns = dtypeNames(frame).map((dtype, index): ExcerptColumn => {
    const name = frame.columns[index]!;
    const cells = rows.getColumn(name).toArray().map(cellText);
    if (cut) cells.splice(END, 0, "…");
    return { name, dtype, numeric: /^(U?Int|Float)/.test(dtype), cells };
  });
  return { height, width, columns };
}
