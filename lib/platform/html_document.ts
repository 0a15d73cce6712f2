import { loadPackage } from "./package.ts";

/** The members of an element that this project reads. */
interface HtmlElement {
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelectorAll(selectors: string): Iterable<HtmlElement>;
}

/** Parses HTML. The time is linear in the length of the text, also for broken tags. */
export async function htmlDocument(html: string): Promise<Pick<HtmlElement, "querySelectorAll">> {
  const { parseHTML } = await loadPackage<{
    parseHTML(html: string): { document: HtmlElement };
  }>("npm:linkedom@0.18.15");
  return parseHTML(html).document;
}
