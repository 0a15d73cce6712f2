/** The style of all charts, with the colors of the light theme. Sizes are in pixels. */
export const theme = {
  /** Inter is embedded. The other fonts are narrower, so that a layout has room for each of them. */
  fontFamily: "Inter, Helvetica Neue, Arial, sans-serif",
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
  title: { size: 20, bold: true, line: 26 },
  subtitle: { size: 13, bold: false, line: 18 },
  panel: { size: 13, bold: true, line: 17 },
  legend: { size: 12, bold: false, line: 19 },
  caption: { size: 11, bold: false, line: 15 },
  label: { size: 12, bold: false, line: 14 },
} as const;
