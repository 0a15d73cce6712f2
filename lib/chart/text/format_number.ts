const SCALES = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]] as const;

/** Three significant digits, without trailing zeros. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function unsigned(value: number): string {
  if (value === 0) return "0";
  if (value >= 999.5e12 || value < 1e-4) {
    return value.toExponential(1).replace(".0e", "e").replace("e+", "e").replace("e-", "e−");
  }
  const [divisor, suffix] = SCALES.find(([scale]) => value >= scale * 0.9995) ?? [1, ""];
  return `${short(value / divisor)}${suffix}`;
}

/** A number for people: 1234567 is `1.23M`, and a negative one has a true minus sign. */
export function formatNumber(value: number): string {
  return value < 0 ? `−${unsigned(-value)}` : unsigned(value);
}
