/** Returns the words of the lines of README's section on installing, without their comments. */
export async function installLines(): Promise<string[][]> {
  const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
  const block = readme.split("\n## Install\n")[1]!.split("```")[1]!;
  return block.split("\n").slice(1, -1).map((line) => line.split("#")[0]!.trim().split(/\s+/));
}
