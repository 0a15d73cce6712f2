import { join } from "node:path";
import { loadPackage, packageFolder } from "../../platform/package.ts";
import { createWarn } from "../../platform/terminal.ts";

/**
 * Returns the paths of the bundled font files: DejaVu Sans, and DejaVu Sans Bold. With bundled fonts, pictures do not
 * depend on the fonts of a machine.
 */
export async function dejavuFonts(): Promise<string[]> {
  const folder = await packageFolder("npm:dejavu-fonts-ttf@2.37.3/package.json");
  return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) => join(folder, "ttf", file));
}

interface Fontkit {
  openSync(path: string): { hasGlyphForCodePoint(point: number): boolean };
}

/** Matches the characters of widespread scripts, by the names of the scripts. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  Arabic: /\p{Script=Arabic}/u,
  Chinese: /\p{Script=Han}/u,
  Japanese: /\p{Script=Hiragana}|\p{Script=Katakana}/u,
  Korean: /\p{Script=Hangul}/u,
  Hebrew: /\p{Script=Hebrew}/u,
  Thai: /\p{Script=Thai}/u,
  Devanagari: /\p{Script=Devanagari}/u,
  Bengali: /\p{Script=Bengali}/u,
  Tamil: /\p{Script=Tamil}/u,
  emoji: /\p{Emoji_Presentation}/u,
};

const warn = createWarn();

/**
 * Returns whether a drawing has characters that the character map of the bundled font lacks, and warns once of its
 * scripts. `instead` states what is drawn in place of these characters.
 */
export async function lacksGlyphs(svg: string, instead: string): Promise<boolean> {
  const letters = new Set(svg.replace(/<[^>]*>/g, "").replace(/[\p{ASCII}\p{Cf}\s]/gu, ""));
  if (letters.size === 0) return false;
  const { openSync } = await loadPackage<Fontkit>("npm:fontkit@2.0.4");
  const font = openSync((await dejavuFonts())[0]!);
  const without = [...letters].filter((letter) =>
    !font.hasGlyphForCodePoint(letter.codePointAt(0)!)
  );
  const scripts = new Set(
    without.map((letter) =>
      Object.keys(SCRIPTS).find((name) => SCRIPTS[name]!.test(letter)) ?? "some characters"
    ),
  );
  const names = [...scripts].toSorted().join(", ");
  if (names !== "") warn(`chainframe: no font for ${names}: ${instead}`);
  return without.length > 0;
}
