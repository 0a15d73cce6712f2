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

/**
 * Twelve colours after Okabe and Ito (2008) and Tol (2021), in an order that keeps all apart for the
 * colour-blind, and the first five in grey. Nothing rests on colour alone: lines carry markers and names.
 */
export const SERIES_COLORS = [
  "#0072b2",
  "#e69f00",
  "#332288",
  "#009e73",
  "#882255",
  "#d55e00",
  "#56b4e9",
  "#117733",
  "#cc79a7",
  "#661100",
  "#999933",
  "#24292f",
] as const;

/** What was folded together. */
export const OTHER_COLOR = "#8b949e";

/** From few to many, dark on light: read by the colour-blind and in grey, because lightness falls steadily. */
export const SEQUENTIAL_COLORS = [
  "#e6f0f9",
  "#cde2f2",
  "#aed1e8",
  "#7db8da",
  "#4b98c9",
  "#2474b3",
  "#0b539a",
  "#0a3570",
] as const;

/** The two sides of zero. */
export const GAIN_COLOR = "#0072b2";
export const LOSS_COLOR = "#d55e00";

/** For what has an order, such as cohorts: viridis from its middle on, earliest darkest. */
export const ORDERED_COLORS = [
  "#440154",
  "#443983",
  "#31688e",
  "#21918c",
  "#35b779",
  "#8fd744",
] as const;

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

/** The colour at a place from 0 to 1 along a ramp. */
function along(ramp: readonly string[], place: number): string {
  const at = place * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const [from, to] = [channels(ramp[low]!), channels(ramp[low + 1]!)];
  return `#${
    from.map((value, index) =>
      Math.round(value + (to[index]! - value) * (at - low)).toString(16).padStart(2, "0")
    ).join("")
  }`;
}

/** A colour for each label: along a ramp where their order means something; grey for what was folded. */
export function seriesColors(
  labels: readonly string[],
  { other, ordered = false }: { other: string | null; ordered?: boolean },
): string[] {
  const named = labels.filter((label) => label !== other).length;
  return labels.map((label, index) => {
    if (label === other) return OTHER_COLOR;
    if (ordered) return along(ORDERED_COLORS, named === 1 ? 1 : index / (named - 1));
    return SERIES_COLORS[index % SERIES_COLORS.length]!;
  });
}

/** The markers of the series, by Plot's names, as paths of one area: that of a circle of radius 1. */
const PATHS = {
  circle: "M1,0A1,1,0,1,1,-1,0A1,1,0,1,1,1,0Z",
  square: "M-0.886,-0.886H0.886V0.886H-0.886Z",
  triangle: "M0,-1.555L1.347,0.778H-1.347Z",
  diamond: "M0,-1.649L0.952,0L0,1.649L-0.952,0Z",
  cross: "M-1.189,-0.396H-0.396V-1.189H0.396V-0.396H1.189V0.396H0.396V1.189H-0.396V0.396H-1.189Z",
  star:
    "M0,-1.673L0.376,-0.517H1.591L0.608,0.197L0.983,1.353L0,0.639L-0.983,1.353L-0.608,0.197L-1.591,-0.517H-0.376Z",
  wye:
    "M0.478,0.276V1.233H-0.478V0.276L-1.307,-0.202L-0.828,-1.031L0,-0.552L0.828,-1.031L1.307,-0.202Z",
} as const;

/** The name of a marker. */
export type SymbolName = keyof typeof PATHS;

/** Seven markers, for lines to be told apart in grey. */
export const SYMBOLS: readonly SymbolName[] = [
  ...["circle", "square", "triangle", "diamond", "cross", "wye", "star"] as const,
];

/** The path of a marker about the origin, of the area of a circle of radius 1. */
export function symbolPath(name: SymbolName): string {
  return PATHS[name];
}
