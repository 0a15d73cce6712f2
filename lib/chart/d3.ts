/** Re-exports the functions of d3 that drawing code uses. Plot depends on the same d3 modules. */

// @ts-types="npm:@types/d3-array@3.2.2"
export { range, ticks } from "npm:d3-array@3.2.5";
// @ts-types="npm:@types/d3-color@3.1.3"
export { lab, rgb } from "npm:d3-color@3.1.1";
// @ts-types="npm:@types/d3-path@3.1.1"
export { path } from "npm:d3-path@3.1.1";
// @ts-types="npm:@types/d3-scale@4.0.9"
export { scaleLinear, scaleLog, scaleUtc } from "npm:d3-scale@4.0.3";
