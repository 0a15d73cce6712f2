import { fileURLToPath } from "node:url";

/** The one door to the DejaVu fonts, which are bundled so that PNGs never depend on a machine's fonts. */

// Deno downloads what a literal specifier names even when it is never reached.
const specifier: string = "npm:dejavu-fonts-ttf@2.37.3/package.json";

/** The paths of the font files: DejaVu Sans, and DejaVu Sans Bold. */
export async function dejavuFonts(): Promise<string[]> {
  await import(specifier, { with: { type: "json" } });
  const folder = new URL("ttf/", import.meta.resolve(specifier));
  return ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"].map((file) =>
    fileURLToPath(new URL(file, folder))
  );
}
