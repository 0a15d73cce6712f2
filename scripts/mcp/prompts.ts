import { safeText } from "./safe.ts";

/** The parameters of a request for a prompt. */
export interface PromptParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

interface Prompt {
  readonly title: string;
  readonly description: string;
  /** The arguments with their descriptions. All are required. */
  readonly arguments: Readonly<Record<string, string>>;
  /** The text. A name in braces stands for an argument. */
  readonly text: string;
}

const HONEST =
  "State the source, the last day of the data, and every entity that was not found. Say so if the data are SAMPLE DATA.";

const PROMPTS: Readonly<Record<string, Prompt>> = {
  compare_chains: {
    title: "Compare chains",
    description: "Ranks chains by one field, and shows how it changed",
    arguments: { field: "Field of blockchain_comparison, such as ecosystem_fees_30d_sum" },
    text:
      `Compare chains by {field}. Call dictionary with a part of the name if you are not sure what it means. \
Call compare_chains, then pipe with blockchain_comparison and plotComparison. Report rank, value, share and change, and what null means here.`,
  },
  did_it_work: {
    title: "Did it work?",
    description: "Estimates the effect of an event on one chain or project",
    arguments: {
      treated: "Id of the chain or project, as catalog lists it",
      event: "First day of the event: 2026-01-05",
      metric: "Metric, such as tvl",
    },
    text:
      `Did the event of {event} change {metric} of {treated}? Call timeline to see the periods before and \
after, with at least 20 before. Call counterfactual with starts of {treated} and {event} and scale log, then pipe with timeline, counterfactual and plotCounterfactual. Report the \
effect with its interval, p_value, fit and pre_p. If fit is poor, say that the data do not answer.`,
  },
  who_stays: {
    title: "Who stays?",
    description: "Compares the retention of users between projects or market sectors",
    arguments: { by: "project_id or market_sector_id", month: "Month after the first, such as 6" },
    text:
      `Where do users stay? Call retention with by {by} and month {month}, then compare_retention for the \
groups that differ most, then pipe with cohort_analysis, retentionCurves, pooledRetention and plotRetention. Report differences with intervals and p_adjusted; a difference \
whose interval contains 0 is not shown by the data.`,
  },
};

/** Lists the prompts. */
export function listPrompts(): { prompts: unknown[] } {
  const prompts = Object.entries(PROMPTS).map((
    [name, { text: _text, arguments: all, ...prompt }],
  ) => ({
    name,
    ...prompt,
    arguments: Object.entries(all)
      .map(([name, description]) => ({ name, description, required: true })),
  }));
  return { prompts };
}

/** Returns a prompt with its arguments in place. Throws for an unknown prompt or a missing argument. */
export function getPrompt({ name, arguments: given = {} }: PromptParams): unknown {
  const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name]! : undefined;
  if (prompt === undefined) {
    throw new RangeError(`name: must be one of ${Object.keys(PROMPTS).join(", ")}`);
  }
  const missing = Object.keys(prompt.arguments).find((each) => !given[each]);
  if (missing !== undefined) throw new RangeError(`${name}: ${missing}: is required`);
  const told = prompt.text.replace(
    /\{(\w+)\}/g,
    (_, each: string) => safeText(given[each]!, { redact: (text) => text }, 200),
  );
  const text = `${told} ${HONEST}`;
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { description: prompt.description, messages };
}
