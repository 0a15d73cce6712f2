/** The look that all charts share. Sizes are in pixels. */
export const theme = {
  /** DejaVu Sans is bundled for PNG; Verdana is of the same width, so that text fits there as well. */
  fontFamily: "DejaVu Sans, Verdana, sans-serif",
  ink: "#1b1f24",
  muted: "#57606a",
  faint: "#d0d7de",
  grid: "#e6e9ed",
  paper: "#ffffff",
  width: 800,
  padding: 20,
  title: { size: 18, bold: true, line: 24 },
  subtitle: { size: 13, bold: false, line: 18 },
  panel: { size: 12, bold: true, line: 16 },
  legend: { size: 12, bold: false, line: 19 },
  caption: { size: 11, bold: false, line: 15 },
  label: { size: 11, bold: false, line: 13 },
} as const;
