import type { Rule } from "../platform/check_options.ts";
import { numbersOf, type NumberUnit } from "./numbers.ts";
import { joined } from "./words.ts";

/** A reference value, such as a goal. An empty label is not written. */
export interface Reference {
  readonly value: number;
  readonly label: string;
}

/**
 * The option of charts that draws a goal.
 *
 * @category Charts
 */
export interface ReferenceOptions {
  /**
   * A reference value, such as a goal, drawn as a line across the chart, with an optional label. It is in the unit of
   * the axis: 0.25 is 25%. It extends the axis, and does not change its scale.
   * @default {none}
   */
  readonly reference?: number | { readonly value: number; readonly label: string };
}

/** Accepts a number, or a number with its label. */
export const aReference: Rule<Reference> = (given, refuse) => {
  if (typeof given !== "object" || given === null) {
    return Number.isFinite(given)
      ? { value: given as number, label: "" }
      : refuse("must be a finite number");
  }
  const { value, label } = given as Partial<Reference>;
  return Number.isFinite(value) && typeof label === "string"
    ? { value: value!, label }
    : refuse("must be a finite number with its label: { value, label }");
};

/**
 * Checks that an axis has a place for a reference.
 *
 * @throws {RangeError} when the axis is logarithmic, and the value is not above 0.
 */
export function requirePlace(type: string | undefined, value: number, fn = "chart"): void {
  if (type !== "log" || value > 0) return;
  throw new RangeError(`${fn}: reference: must be above 0 on a logarithmic axis; got ${value}`);
}

/** Checks a reference with the option `scale`. Throws what {@linkcode requirePlace} throws. */
export function requireReference(
  { fn, scale, reference }: {
    readonly fn: string;
    readonly scale?: string;
    readonly reference?: Reference;
  },
): void {
  if (reference !== undefined) requirePlace(scale, reference.value, fn);
}

/** Returns the horizontal line of a reference. */
export function referenceRules(reference: Reference | undefined) {
  return reference === undefined
    ? []
    : [{ y: reference.value, label: reference.label, reference: true }];
}

/** Describes a reference for an alternative text: `goal 25%`. */
export function referenceWords(reference: Reference | undefined, unit: NumberUnit): string {
  return reference === undefined ? "" : joined([
    reference.label || "reference",
    numbersOf([reference.value], { unit, locale: "en-US" })(reference.value),
  ], " ");
}
