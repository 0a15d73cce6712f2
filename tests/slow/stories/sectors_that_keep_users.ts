// Which market sectors keep their users, how sure is that, and what may come?
import {
  cohortAnalysis,
  forecastRetention,
  plotRetention,
  pooledRetention,
  retentionCurves,
  retentionSummary,
  save,
} from "@chainframe/chainframe";

const curves = retentionCurves(await cohortAnalysis(), { confidence: 0.95 });
const sectors = pooledRetention(curves, { by: "market_sector_id" });
const summary = retentionSummary(sectors).sort("month_6", true);
console.log(summary.select("market_sector_name", "size", "month_1", "month_6", "month_11"));

const forecast = forecastRetention(curves, { by: "market_sector_id", horizon: 18 });
await save(plotRetention(forecast, { title: "Sectors that keep users" }), "sectors.svg");
await save(summary, "sectors.csv");
