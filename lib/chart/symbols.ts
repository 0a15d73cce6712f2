/** The markers of the series, by Plot's names, as paths of the same form for the legend. */
const PATHS = {
  circle: "M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0Z",
  square: "M-2.7,-2.7H2.7V2.7H-2.7Z",
  triangle: "M0,-4.1L3.5,2H-3.5Z",
  diamond: "M0,-4.3L2.5,0L0,4.3L-2.5,0Z",
  cross: "M-3.6,-1.2H-1.2V-3.6H1.2V-1.2H3.6V1.2H1.2V3.6H-1.2V1.2H-3.6Z",
} as const;

/** The name of a marker. */
export type SymbolName = keyof typeof PATHS;

/** Five markers, for lines to be told apart in grey. */
export const SYMBOLS: readonly SymbolName[] = ["circle", "square", "triangle", "diamond", "cross"];

/** The path of a marker about the origin. */
export function symbolPath(name: SymbolName): string {
  return PATHS[name];
}
