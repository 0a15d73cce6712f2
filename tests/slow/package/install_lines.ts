/** Returns the words of the lines of the page on installing, without their comments. */
export async function installLines(): Promise<string[][]> {
  const page = await Deno.readTextFile(new URL("../../../docs/importing.md", import.meta.url));
  const block = page.split("\n## Install\n")[1]!.split("```")[1]!;
  return block.split("\n").slice(1, -1).map((line) => line.split("#")[0]!.trim().split(/\s+/));
}
