import { xmlCharacters } from "./xml_characters.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as XML: safe as content and inside quotes. */
export function escapeXml(text: string): string {
  return xmlCharacters(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
