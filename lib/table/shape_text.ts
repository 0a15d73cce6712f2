function counted(count: number, one: string): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : `${one}s`}`;
}

/** The shape of a frame in words: `12 rows × 97 columns`. */
export function shapeText(shape: { readonly height: number; readonly width: number }): string {
  return `${counted(shape.height, "row")} × ${counted(shape.width, "column")}`;
}
