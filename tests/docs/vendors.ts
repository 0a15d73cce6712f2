/** Answers the requests of the examples of docs/recipes.md and docs/importing.md, in the shapes that the vendors document. */
import { pl } from "../../mod.ts";

const DAYS = Array.from({ length: 6 }, (_, at) => Date.UTC(2026, 0, 1 + at));

const VENDORS: Record<string, (url: URL) => unknown> = {
  "api.growthepie.com": ({ pathname }) =>
    pathname.startsWith("/v1/metrics/chains/")
      ? {
        details: {
          metric_id: "fees",
          timeseries: {
            daily: {
              types: ["unix", "usd", "eth"],
              data: DAYS.map((day, at) => [day, 900 + 10 * at, 0.3 + at / 100]),
            },
          },
        },
      }
      : ["fees_paid_usd", "txcount"].flatMap((metric_key) =>
        ["arbitrum", "base"].flatMap((origin_key, place) =>
          DAYS.map((day, at) => ({
            metric_key,
            origin_key,
            date: new Date(day).toISOString().slice(0, 10),
            value: 1000 * (place + 1) + 100 * at,
          }))
        )
      ),
  "data.example.org": ({ searchParams }) => {
    const page = Number(searchParams.get("next_page_token") ?? 1);
    const rows = DAYS.slice(2 * page - 2, 2 * page).map((day, at) => ({
      date: day / 1000,
      fees: 100 * page + at,
    }));
    return { data: rows, next_page_token: page < 3 ? page + 1 : null };
  },
  "warehouse.example.org": () =>
    pl.DataFrame({
      date: DAYS.slice(0, 2).map((day) => new Date(day)),
      chain: ["base", "base"],
      fees_usd: [910.5, null],
    }).withColumns(pl.col("date").cast(pl.Date)).writeParquet(),
  "api.llama.fi": ({ pathname }) => {
    const chain = decodeURIComponent(pathname.split("/").at(-1)!);
    if (pathname.startsWith("/v2/historicalChainTvl/")) {
      return DAYS.map((day, at) => ({ date: day / 1000, tvl: 1e6 * chain.length + 1e4 * at }));
    }
    const unfinished = Math.floor(Date.now() / 86_400_000) * 86_400;
    return {
      chain,
      allChains: ["Arbitrum", "Base"],
      total24h: 2500,
      protocols: [],
      totalDataChart: [
        ...DAYS.map((day, at) => [day / 1000, 500 * chain.length + 50 * at]),
        [unfinished, 1],
      ],
    };
  },
};

const send = globalThis.fetch;
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
  const url = new URL(request.url);
  const answer = VENDORS[request.headers.get("vendor")!]!(url);
  return answer instanceof Uint8Array ? new Response(answer as BodyInit) : Response.json(answer);
});
server.unref();
globalThis.fetch = (input, init) => {
  const { host, pathname, search } = new URL(input instanceof Request ? input.url : input);
  if (VENDORS[host] === undefined) return send(input, init);
  return send(`http://127.0.0.1:${server.addr.port}${pathname}${search}`, {
    headers: { vendor: host },
  });
};
