/** Answers the requests of the recipes of docs/importing.md, in the shapes that the vendors document. */
const DAYS = Array.from({ length: 6 }, (_, at) => Date.UTC(2026, 0, 1 + at));

const VENDORS: Record<string, (url: URL) => unknown> = {
  "api.growthepie.com": () =>
    ["fees_paid_usd", "txcount"].flatMap((metric_key) =>
      ["arbitrum", "base"].flatMap((origin_key, place) =>
        DAYS.map((day, at) => ({
          metric_key,
          origin_key,
          date: new Date(day).toISOString().slice(0, 10),
          value: 1000 * (place + 1) + 100 * at,
        }))
      )
    ),
  "api.llama.fi": ({ pathname }) => {
    const chain = decodeURIComponent(pathname.split("/").at(-1)!);
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
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const answer = VENDORS[url.host];
  return answer === undefined ? send(input, init) : Promise.resolve(Response.json(answer(url)));
};
