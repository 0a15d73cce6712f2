interface Block {
  readonly mean: number;
  readonly weight: number;
  readonly length: number;
}

function merge(left: Block, right: Block): Block {
  const weight = left.weight + right.weight;
  const mean = (left.mean * left.weight + right.mean * right.weight) / weight;
  return { mean, weight, length: left.length + right.length };
}

/**
 * The non-increasing values that come closest to the given ones in weighted least squares: pool
 * adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955, Annals of Mathematical
 * Statistics 26, 641-647). Values that do not rise anywhere come back as they are.
 *
 * @param weights one for each value, more than 0
 */
export function nonIncreasing(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: Block[] = [];
  values.forEach((value, index) => {
    let block: Block = { mean: value, weight: weights[index] ?? 1, length: 1 };
    let before = blocks.at(-1);
    while (before !== undefined && before.mean < block.mean) {
      blocks.pop();
      block = merge(before, block);
      before = blocks.at(-1);
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean, length }) => Array<number>(length).fill(mean));
}
