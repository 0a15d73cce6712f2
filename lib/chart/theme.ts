/** The style of all charts, with the colors of the light theme. Sizes are in pixels. */
export const theme = {
  /** DejaVu Sans is bundled. Verdana has the same widths, so a text needs the same space in either font. */
  fontFamily: "DejaVu Sans, Verdana, sans-serif",
  ink: "#1b1f24",
  muted: "#57606a",
  faint: "#d0d7de",
  grid: "#e6e9ed",
  paper: "#ffffff",
  // On one line, because TypeScript writes wrong declarations for constant objects with longer comments.
  /** The color of text on a cell that is close to the page color. `onFar` is the color of text on other cells. */
  onNear: "#05070a",
  onFar: "#fffffe",
  /** The color of text that is dark in both themes. `light` is the color of text that is light in both themes. */
  dark: "#000001",
  light: "#fffffd",
  padding: 20,
  title: { size: 18, bold: true, line: 24 },
  subtitle: { size: 13, bold: false, line: 18 },
  panel: { size: 12, bold: true, line: 16 },
  legend: { size: 12, bold: false, line: 19 },
  caption: { size: 11, bold: false, line: 15 },
  label: { size: 11, bold: false, line: 13 },
} as const;

/** The markers of lines, by their symbol names in Plot. Each marker is a path with the area of a circle of radius 1. */
const PATHS = {
  circle: "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
  square: "M-0.886,-0.886H0.886V0.886H-0.886Z",
  triangle: "M0,-1.555L1.347,0.778H-1.347Z",
  diamond: "M0,-1.649L0.952,0L0,1.649L-0.952,0Z",
  cross: "M-1.189,-0.396H-0.396V-1.189H0.396V-0.396H1.189V0.396H0.396V1.189H-0.396V0.396H-1.189Z",
  wye:
    "M0.478,0.276V1.233H-0.478V0.276L-1.307,-0.202L-0.828,-1.031L0,-0.552L0.828,-1.031L1.307,-0.202Z",
  star:
    "M0,-1.673L0.376,-0.517H1.591L0.608,0.197L0.983,1.353L0,0.639L-0.983,1.353L-0.608,0.197L-1.591,-0.517H-0.376Z",
} as const;

/** The name of a marker. */
export type SymbolName = keyof typeof PATHS;

/** Seven markers that distinguish lines without color. */
export const SYMBOLS = Object.keys(PATHS) as readonly SymbolName[];

/** Returns the SVG path of a marker. The path is centered at the origin and has the area of a circle of radius 1. */
export function symbolPath(name: SymbolName): string {
  return PATHS[name];
}
