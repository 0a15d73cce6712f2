import type { Question } from "./question.ts";
import { questionUrl } from "./question_url.ts";

/** What makes two questions the same: method, URL and body. No token is in it. */
export function questionKey(baseUrl: string, question: Question): string {
  const { method, body } = question;
  return JSON.stringify([method, questionUrl(baseUrl, question), body]);
}
