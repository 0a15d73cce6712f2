import { htmlDocument } from "../../lib/platform/html_document.ts";
import { checkOpenElements } from "./open_elements.ts";

/** A number of a page, as in its table. */
export interface PageNumber {
  readonly at: string;
  readonly text: string;
  readonly value: string;
  readonly field: string;
  /** How it is computed again. Null if this is not known. */
  readonly recipe: string | null;
  /** Why there is no recipe. Null if the page does not state it. */
  readonly why: string | null;
}

/**
 * Returns the numbers in the table of a page, and what does not agree with the texts.
 *
 * @throws {RangeError} for a page with more than 500 open elements.
 */
export async function pageNumbers(
  html: string,
): Promise<{ readonly numbers: readonly PageNumber[]; readonly problems: readonly string[] }> {
  checkOpenElements(html);
  const document = await htmlDocument(html);
  const rows = [...document.querySelectorAll("#numbers tbody tr")].map((row): PageNumber => {
    const cells = [...row.querySelectorAll("td")].map(({ textContent }) => textContent);
    const [at = "", text = "", value = "", field = ""] = cells;
    const [recipe, why] = [row.getAttribute("data-recipe"), row.getAttribute("data-why")];
    return { at, text, value, field, recipe, why };
  });
  const numbers = new Map(rows.map((row) => [row.at, row]));
  const found = new Set<string>();
  const problems: string[] = [];
  for (const bound of document.querySelectorAll("data[id]")) {
    const at = bound.getAttribute("id")!.replace("number-", "");
    const [text, value] = [bound.textContent, bound.getAttribute("value")];
    const row = numbers.get(at);
    found.add(at);
    if (row === undefined) problems.push(`number ${at}: ${text} is not in the table`);
    else if (row.text !== text || row.value !== value) {
      problems.push(
        `number ${at}, ${row.field}: the text has ${text} (${value}), the table ${row.text} (${row.value})`,
      );
    }
  }
  for (const { at, text } of rows) {
    if (!found.has(at)) problems.push(`number ${at}: ${text} is not in the text`);
  }
  return { numbers: rows, problems };
}
