/** The words of a chart. */
export interface About {
  /** What is shown, over the chart. */
  readonly title: string;
  /** How to read it, below the title. */
  readonly subtitle: string;
  /** Below the chart: where the data came from, and what was left out or put together. */
  readonly caption: readonly string[];
  /** What the chart shows, for those who cannot see it. */
  readonly label: string;
}

/** The words of a chart as plain text, for terminals and screen readers. */
export function aboutText({ title, subtitle, caption, label }: About): string {
  return [title, subtitle, label, ...caption].filter((line) => line !== "").join("\n");
}
