import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../platform/package.ts";
import { createWarn } from "../../platform/terminal.ts";
import { type SvgText, svgTexts } from "./svg_texts.ts";
import { partOfFont, type TrueType, trueType } from "./true_type.ts";

/** The packages of the bundled fonts, with the files of the regular and the bold face. */
const FONTS = {
  inter: [
    "npm:@expo-google-fonts/inter@0.4.2/package.json",
    ["400Regular/Inter_400Regular.ttf", "600SemiBold/Inter_600SemiBold.ttf"],
  ],
  // For the letters that Inter lacks, such as those of Hebrew and Arabic.
  dejavu: [
    "npm:dejavu-fonts-ttf@2.37.3/package.json",
    ["ttf/DejaVuSans.ttf", "ttf/DejaVuSans-Bold.ttf"],
  ],
} as const;

/** The weights of the regular and the bold face of Inter. */
const WEIGHTS = [400, 600];

/** The paths of the regular and the bold face of a font. */
async function filesOf(font: keyof typeof FONTS): Promise<readonly [string, string]> {
  const [specifier, [regular, bold]] = FONTS[font];
  const folder = await packageFolder(specifier);
  return [join(folder, regular), join(folder, bold)];
}

const read = new Map<string, Promise<TrueType>>();

async function fontAt(path: string): Promise<TrueType> {
  const font = read.get(path) ?? readFile(path).then(trueType);
  read.set(path, font);
  return await font;
}

/** Returns whether a font has glyphs for all letters of a text that need one. */
function draws({ glyphOf }: TrueType, text: string): boolean {
  return [...text.replace(/[\p{Cf}\s]/gu, "")].every((letter) =>
    glyphOf(letter.codePointAt(0)!) > 0
  );
}

/** The fonts that the texts of a drawing need. */
interface NeededFonts {
  /** The paths of the fonts: Inter and Inter Semi Bold, then DejaVu Sans and its bold face if Inter lacks a letter. */
  readonly files: readonly string[];
  /** Returns whether Inter lacks a letter of a text. */
  readonly isForeign: (text: SvgText) => boolean;
  /** Returns whether both fonts lack a letter of a text. */
  readonly isUnknown: (text: SvgText) => boolean;
  /** Whether there is such a text. */
  readonly lacks: boolean;
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
 * Returns the bundled fonts that a drawing needs. With bundled fonts, pictures do not depend on the fonts of a machine.
 * Warns once of scripts that neither font has. `instead` states what is drawn in place of their letters.
 */
export async function fontsOf(svg: string, instead: string): Promise<NeededFonts> {
  const texts = svgTexts(svg);
  const inter = await filesOf("inter");
  const regular = await fontAt(inter[0]);
  const isForeign = ({ text }: SvgText) => !draws(regular, text);
  const foreign = texts.filter(isForeign);
  if (foreign.length === 0) {
    return { files: inter, isForeign, isUnknown: () => false, lacks: false };
  }
  const dejavu = await filesOf("dejavu");
  const second = await fontAt(dejavu[0]);
  const unknown = ({ text }: SvgText) =>
    [...text].filter((letter) => !draws(regular, letter) && !draws(second, letter));
  const scripts = new Set(
    foreign.flatMap(unknown).map((letter) =>
      Object.keys(SCRIPTS).find((name) => SCRIPTS[name]!.test(letter)) ?? "some characters"
    ),
  );
  const names = [...scripts].toSorted().join(", ");
  if (names !== "") warn(`chainframe: no font for ${names}: ${instead}`);
  const isUnknown = (text: SvgText) => unknown(text).length > 0;
  return { files: [...inter, ...dejavu], isForeign, isUnknown, lacks: names !== "" };
}

/**
 * Returns the rules of a style sheet that embed Inter with the glyphs of the texts of SVG files, so that texts look the
 * same on every machine. `more` has further letters. Returns an empty text if the font can be neither loaded nor
 * downloaded.
 */
export async function fontRules(svgs: readonly string[], more = ""): Promise<string> {
  const files = await filesOf("inter").catch(() => {
    warn("chainframe: the font Inter is missing: SVG and HTML files have a font of the reader");
    return [];
  });
  const texts = svgs.flatMap(svgTexts);
  const rules = files.map(async (file, face) => {
    const letters = more + texts.flatMap(({ text, bold }) => bold === (face === 1) ? text : [])
      .join("");
    if (letters === "") return "";
    const points = Array.from(letters, (letter) => letter.codePointAt(0)!);
    const data = partOfFont(await fontAt(file), points).toString("base64");
    return `@font-face{font-family:Inter;font-weight:${WEIGHTS[face]};` +
      `src:url(data:font/ttf;base64,${data})}`;
  });
  return (await Promise.all(rules)).join("");
}

/** Embeds Inter in an SVG file. */
export async function withFont(svg: string): Promise<string> {
  const rules = await fontRules([svg]);
  if (rules === "") return svg;
  return svg.includes("<style>")
    ? svg.replace("<style>", () => `<style>${rules}`)
    : svg.replace(/<svg [^>]*>/, (tag) => `${tag}<style>${rules}</style>`);
}
