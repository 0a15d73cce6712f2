// Measures the first drawing of a process, with what has to be loaded for it: a file of six lines, against
// Observable Plot on jsdom.
import { type Measured, median } from "./measure.ts";

const HERE = import.meta.url;
const LINES = 6;
const POINTS = 100;

interface Point {
  readonly day: number;
  readonly fees: number;
  readonly chain_id: string;
}

function points(): Point[] {
  return Array.from({ length: LINES * POINTS }, (_, index) => ({
    day: index % POINTS,
    fees: 1e6 * (2 + Math.sin(index / 9) + Math.floor(index / POINTS)),
    chain_id: `chain ${Math.floor(index / POINTS)}`,
  }));
}

/** The milliseconds that our drawing takes, once the module is imported and the frame is there. */
async function ours(format: string): Promise<number> {
  const { pl, plotTimeline } = await import("../../mod.ts");
  const frame = pl.DataFrame(points());
  const start = performance.now();
  const chart = plotTimeline(frame, { x: "day", field: "fees", by: "chain_id" });
  const drawn = format === "png" ? await chart.png() : await chart.svg();
  if (drawn.length === 0) throw new Error("nothing was drawn");
  return performance.now() - start;
}

// Computed, so that the ways do not load each other's packages before the clock runs.
const JSDOM: string = "npm:jsdom@31.0.1";
const PLOT: string = "npm:@observablehq/plot@0.6.17";
const RESVG: string = "npm:@resvg/resvg-js@2.6.2";

/** The milliseconds that the drawing takes as Plot's own documentation does it, without a browser. */
async function theirs(format: string): Promise<number> {
  const data = points();
  const start = performance.now();
  const [{ JSDOM: Dom }, Plot] = await Promise.all([import(JSDOM), import(PLOT)]);
  const svg = Plot.plot({
    document: new Dom("").window.document,
    marks: [Plot.ruleY([0]), Plot.lineY(data, { x: "day", y: "fees", stroke: "chain_id" })],
  });
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  let drawn: string | Uint8Array = svg.outerHTML;
  if (format === "png") {
    const { Resvg } = await import(RESVG);
    drawn = new Resvg(drawn, { fitTo: { mode: "zoom", value: 2 } }).render().asPng() as Uint8Array;
  }
  if (drawn.length === 0) throw new Error("nothing was drawn");
  return performance.now() - start;
}

async function inOwnProcess(way: string, format: string): Promise<number> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", HERE, way, format],
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}

/** Times the first SVG and the first PNG of processes, in turn. */
export async function drawings(short: boolean): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const format of ["svg", "png"]) {
    const [own, other]: [number[], number[]] = [[], []];
    for (let run = short ? 0 : -1; run < (short ? 1 : 7); run++) {
      const times = [await inOwnProcess("ours", format), await inOwnProcess("theirs", format)];
      // The first of each may read from disk what the others find in memory.
      if (run < 0) continue;
      own.push(times[0]!);
      other.push(times[1]!);
    }
    measured.push({
      what: `first ${format.toUpperCase()} of a process`,
      against: format === "svg" ? "jsdom + Plot" : "jsdom + Plot + resvg",
      ms: median(own),
      base: median(other),
      reach: { ratio: format === "svg" ? 0.3 : 0.35 },
    });
  }
  return measured;
}

if (import.meta.main) console.log(await (Deno.args[0] === "ours" ? ours : theirs)(Deno.args[1]!));
