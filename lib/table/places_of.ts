function isWide(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u
    .test(character);
}

/** Counts characters as a terminal shows them: wide ones take two places. */
export function placesOf(text: string): number {
  return Array.from(text).reduce(
    (sum, character) => sum + (/\p{Mark}/u.test(character) ? 0 : isWide(character) ? 2 : 1),
    0,
  );
}
