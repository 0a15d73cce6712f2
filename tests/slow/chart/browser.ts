// deno-lint-ignore-file no-import-prefix -- only these tests drive a browser
import { chromium, type Page } from "npm:playwright-core@1.65.1";

const EXECUTABLE = "/usr/bin/chromium";

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Whether Debian's Chromium is installed. */
export const hasChromium: boolean = isThere(EXECUTABLE);

/** Runs a test in a page of a headless Chromium that cannot reach any network. */
export async function inBrowser(
  test: (page: Page) => Promise<void>,
  { hasTouch = false }: { readonly hasTouch?: boolean } = {},
): Promise<void> {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({
      viewport: { width: 900, height: 900 },
      offline: true,
      hasTouch,
    });
    await test(await context.newPage());
  } finally {
    await browser.close();
  }
}
