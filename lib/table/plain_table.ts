import type { Excerpt, ExcerptColumn } from "./excerpt.ts";
import { placesOf } from "./places_of.ts";
import { shapeText } from "./shape_text.ts";

const WIDEST = 100;
const GAP = "  ";

function lines({ name, dtype, numeric, cells }: ExcerptColumn): string[] {
  const texts = [name, dtype, ...cells];
  const width = Math.max(...texts.map(placesOf));
  return texts.map((text) => {
    const space = " ".repeat(width - placesOf(text));
    return numeric ? space + text : text + space;
  });
}

/** The columns that fit the width, from both ends, with `…` for those between. */
function fitting(blocks: readonly string[][]): readonly string[][] {
  const size = (block: readonly string[]) => placesOf(block[0]!) + GAP.length;
  if (blocks.reduce((sum, block) => sum + size(block), 0) <= WIDEST + GAP.length) return blocks;
  const front: string[][] = [];
  const back: string[][] = [];
  let room = WIDEST - 3;
  for (let taken = 0; taken < blocks.length; taken++) {
    const fromFront = taken % 3 !== 2;
    const block = fromFront ? blocks[front.length]! : blocks[blocks.length - 1 - back.length]!;
    room -= size(block);
    if (room < 0 && taken > 0) break;
    if (fromFront) front.push(block);
    else back.unshift(block);
  }
  return [...front, blocks[0]!.map(() => "…"), ...back];
}

/** An excerpt as plain text, at most 100 places wide, with its shape above and a note below. */
export function plainTable(excerpt: Excerpt, note: string | null): string {
  const blocks = fitting(excerpt.columns.map(lines));
  const table = Array.from(
    blocks[0] ?? [],
    (_, line) => blocks.map((block) => block[line]).join(GAP).trimEnd(),
  );
  return [shapeText(excerpt), ...table, ...(note === null ? [] : [note])].join("\n");
}
