import type { Option, OptionGroup } from "./option.ts";
import type { Script } from "./script.ts";
import type { Style } from "./style.ts";

const WIDTH = 80;
const INDENT = 25;

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

function optionLines({ name, value, about, several }: Option): string {
  const head = `  --${name}${value === undefined ? "" : ` ${value}`}`;
  const told = wrapped(several ? `${about} May be given several times.` : about, WIDTH - INDENT);
  const first = head.length < INDENT - 1
    ? [head.padEnd(INDENT) + told[0]]
    : [head, " ".repeat(INDENT) + told[0]];
  return [...first, ...told.slice(1).map((line) => " ".repeat(INDENT) + line)].join("\n");
}

/** What every script understands. */
export const GENERAL_OPTIONS: OptionGroup = {
  title: "General",
  options: [
    { name: "help", about: "Shows this, and ends. Short: -h." },
    { name: "version", about: "Shows the version, and ends." },
    { name: "debug", about: "Shows where an error came from, with its stack." },
  ],
};

/** The help of a script, 80 places wide. */
export function helpText(script: Script, style: Style): string {
  const groups = [...script.options, GENERAL_OPTIONS].map(({ title, options }) =>
    `${style.bold(title)}\n${options.map(optionLines).join("\n")}`
  );
  const examples = script.examples.map(([words, about]) =>
    `  ${style.faint(`# ${about}`)}\n  ${
      wrapped(`${script.name} ${words}`.trimEnd(), WIDTH - 8).join(" \\\n      ")
    }`
  );
  return [
    wrapped(script.about, WIDTH).join("\n"),
    `${style.bold("Usage")}\n  ${script.name} ${script.usage}`,
    ...groups,
    `${style.bold("Examples")}\n${examples.join("\n")}`,
    `${style.bold("Ends with")}
  0  it went well
  1  the service or the data said no
  2  it was asked wrongly
${script.stopsItself ? "" : "  130  Ctrl-C\n"}`,
  ].join("\n\n");
}
