import { breakOf } from "../../../lib/analysis/retention/mean_break.ts";
import { seriesOf, trendOf } from "../../../lib/analysis/trend.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, among, type Cell } from "../cells.ts";

const PERIODS = [12, 24, 36];
/** A break needs 20 periods. */
const BREAK_PERIODS = [20, 24, 36];
const CORRELATIONS = [0, 0.5, 0.8];

/** A series of errors with autocorrelation and a variance of 1. */
function errors(count: number, correlation: number, chance: Chance): number[] {
  let error = chance.normal();
  return Array.from({ length: count }, () => {
    error = correlation * error + Math.sqrt(1 - correlation ** 2) * chance.normal();
    return error;
  });
}

const dates = (count: number) => Array.from({ length: count }, (_, at) => at / 12);

/** The values of projects that share a market. Some are born late. */
function panel(count: number, correlation: number, chance: Chance) {
  const market = errors(count, correlation, chance);
  const values = Array.from({ length: 8 }, (_, unit) => {
    const birth = unit < 4 ? 0 : Math.floor(chance.uniform() * 0.7 * count);
    const level = 3 * chance.normal();
    const own = errors(count, correlation, chance);
    return own.map((error, at) => ({ unit, at, y: level + market[at]! + error }))
      .filter(({ at }) => at >= birth);
  }).flat();
  return {
    unit: Int32Array.from(values, ({ unit }) => unit),
    at: Int32Array.from(values, ({ at }) => at),
    y: Float64Array.from(values, ({ y }) => y),
  };
}

type Test = (count: number, correlation: number, chance: Chance) => number;

/** The p values of series without a trend. */
const TESTS: Readonly<Record<string, Test>> = {
  "slope of one project": (count, correlation, chance) =>
    trendOf(dates(count), seriesOf(errors(count, correlation, chance)), 0.95).p_value,
  "slope of 8 projects of one market, 4 of them born late": (count, correlation, chance) =>
    trendOf(dates(count), panel(count, correlation, chance), 0.95).p_value,
};

/** What varies in a panel of projects. */
const BORN = ["units", "births"] as const;

const sizes = Object.entries(TESTS).flatMap(([what, pOf]) =>
  CORRELATIONS.flatMap((correlation) =>
    PERIODS.map((count): Cell => ({
      ...about("p of `cohortTrend`", "months", ...what.includes("born") ? BORN : []),
      table: "`cohortTrend` without a trend: % of `p_value` of at most 0.05",
      row: `${what}, autocorrelation ${correlation}`,
      column: `${count} periods`,
      // Short series with much autocorrelation show too little of it.
      limits: [0, correlation === 0 ? 0.07 : count === 12 ? 0.2 : 0.14],
      draw: (chance) => pOf(count, correlation, chance) <= 0.05,
    }))
  )
);

const breaks = CORRELATIONS.flatMap((correlation) =>
  BREAK_PERIODS.map((count): Cell => ({
    ...about("p of `cohortTrend`", "months"),
    table: "`cohortTrend` without a break: % of `break_p_value` of at most 0.05",
    row: `autocorrelation ${correlation}`,
    column: `${count} periods`,
    limits: [0, correlation === 0 ? 0.07 : 0.14],
    draw: (chance) => breakOf(errors(count, correlation, chance)).break_p_value <= 0.05,
  }))
);

const powers = [1, 2, 3].flatMap((step) =>
  BREAK_PERIODS.map((count): Cell => ({
    ...among("months"),
    table: "`cohortTrend` with a break in the middle: % of `break_p_value` of at most 0.05",
    row: `step of ${step} standard deviation${step === 1 ? "" : "s"}`,
    column: `${count} periods`,
    draw: (chance) => {
      const values = errors(count, 0, chance).map((error, at) =>
        at < count / 2 ? error : error + step
      );
      return breakOf(values).break_p_value <= 0.05;
    },
  }))
);

/** How the standard deviation of errors falls to a third, by the part of the time that has passed. */
const FALLS: Readonly<Record<string, (passed: number) => number>> = {
  "evenly": (passed) => 1 - 2 / 3 * passed,
  "in the middle": (passed) => passed < 0.5 ? 1 : 1 / 3,
};

const falling = Object.entries(FALLS).flatMap(([how, size]) =>
  [0, 0.5].flatMap((correlation) =>
    BREAK_PERIODS.flatMap((count): Cell[] => {
      const draw = (chance: Chance) =>
        errors(count, correlation, chance).map((error, at) => error * size(at / (count - 1)));
      const cell = {
        ...about("p of `cohortTrend`", "months", "volatility"),
        table:
          "`cohortTrend` without a trend or a break, errors that fall to a third: % of p values of at most .05",
        column: `${count} periods`,
        draws: 400,
        limits: [0, 0.1] as const,
      };
      const row = `${how}, autocorrelation ${correlation}`;
      return [
        {
          ...cell,
          row: `\`p_value\`, ${row}`,
          draw: (chance) => trendOf(dates(count), seriesOf(draw(chance)), 0.95).p_value <= 0.05,
        },
        {
          ...cell,
          row: `\`break_p_value\`, ${row}`,
          draw: (chance) => breakOf(draw(chance)).break_p_value <= 0.05,
        },
      ];
    })
  )
);

export const cells: readonly Cell[] = [...sizes, ...breaks, ...powers, ...falling];
