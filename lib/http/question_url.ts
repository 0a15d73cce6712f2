import type { Question } from "./question.ts";

/** The URL of a question: each id of a list is encoded, the commas between them are not. */
export function questionUrl(baseUrl: string, { path, params }: Question): string {
  const pairs = Object.entries(params).map(([name, value]) => {
    const values = typeof value === "string" ? [value] : value;
    return `${encodeURIComponent(name)}=${values.map(encodeURIComponent).join(",")}`;
  });
  return `${baseUrl}${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}
