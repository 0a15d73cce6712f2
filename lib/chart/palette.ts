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
