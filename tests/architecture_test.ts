import { deepStrictEqual, match, ok } from "node:assert/strict";
import { dirname, join, normalize, relative } from "node:path";

const ROOT = new URL("..", import.meta.url).pathname;

const PAGE = await Deno.readTextFile(join(ROOT, "docs/architecture.md"));

/** Who may import whom: the table of docs/architecture.md. A folder may import itself. */
const MAY_IMPORT = new Map(
  [...PAGE.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(([, area, others]) => [
    area!,
    [area!, ...others!.replace(/\(.*?\)/g, "").matchAll(/`([^`]+)`/g).map(([, name]) => name!)],
  ]),
);

interface Module {
  readonly path: string;
  /** Its text without block comments. */
  readonly code: string;
  readonly imports: readonly string[];
}

async function* files(folder: string, name: RegExp): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    if (entry.isDirectory) yield* files(`${folder}/${entry.name}`, name);
    else if (name.test(entry.name)) yield `${folder}/${entry.name}`;
  }
}

async function codeOf(path: string): Promise<string> {
  return (await Deno.readTextFile(join(ROOT, path))).replace(/\/\*[^]*?\*\//g, "");
}

function importsIn(code: string): string[] {
  const found = code.matchAll(
    /^\s*(?:import|export)\s[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3]!);
}

async function modules(): Promise<Module[]> {
  const paths = ["mod.ts"];
  for (const folder of ["lib", "scripts"]) {
    for await (const path of files(folder, /\.tsx?$/)) paths.push(path);
  }
  return Promise.all(
    paths.sort().map(async (path) => {
      const code = await codeOf(path);
      const imports = importsIn(code).map((specifier) =>
        specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier
      );
      return { path, code, imports };
    }),
  );
}

function isLocal(specifier: string): boolean {
  return /^(lib|scripts|mod\.ts)/.test(specifier);
}

function areaOf(path: string): string {
  const [top, area] = path.split("/");
  return top === "lib" ? area! : top!;
}

const all = await modules();

Deno.test("the import scanner finds every form of import", () => {
  deepStrictEqual(
    importsIn(
      'import a from "./a.ts";\nimport {\n  b,\n} from "npm:b@1";\nexport { c } from "./c.ts";\n' +
        'import "./d.ts";\nconst e = await import("./e.ts");',
    ),
    ["./a.ts", "npm:b@1", "./c.ts", "./d.ts", "./e.ts"],
  );
});

Deno.test("imports follow the table of docs/architecture.md", () => {
  const wrong = all.flatMap(({ path, imports }) => {
    const area = areaOf(path);
    const allowed = MAY_IMPORT.get(area) ?? [];
    const denied = area === "scripts" ? ["lib/schema/records.ts"] : [];
    return imports.filter(isLocal)
      .filter((to) =>
        denied.includes(to) || ![areaOf(to), to].some((name) => allowed.includes(name))
      )
      .map((to) => `${path} imports ${to}`);
  });
  deepStrictEqual(wrong, []);
  ok(all.length > 50, "the test reads the project");
});

Deno.test("only the connection imports the service, and lazily", () => {
  const client = all.filter(({ path }) => /^lib\/(?!service\/)/.test(path));
  const reaching = client.filter(({ code }) => code.includes("service/mod.ts"));
  deepStrictEqual(reaching.map(({ path }) => path), ["lib/http/connect.ts"]);
});

Deno.test("each external package is imported in one file", () => {
  const doors = new Map<string, string[]>();
  for (const { path, code } of all.filter(({ path }) => path.startsWith("lib/"))) {
    // Lazy doors hold their specifier in a string that is no import statement.
    for (
      const [, specifier] of new Set(code.matchAll(/"(npm:[^"]+|jsr:[^"]+|https?:[^"]+\.[jt]s)"/g))
    ) {
      doors.set(specifier!, [...new Set([...doors.get(specifier!) ?? [], path])]);
    }
  }
  deepStrictEqual([...doors].filter(([, paths]) => paths.length > 1), []);
  for (const specifier of doors.keys()) {
    ok(
      /^npm:(@[^/]+\/)?[^/@]+@\d+\.\d+\.\d+[^/]*(\/|$)/.test(specifier),
      `${specifier} is not pinned`,
    );
  }
});

Deno.test("lib has no bare imports, which an import map elsewhere would not resolve", () => {
  const bare = all.filter(({ path }) => path.startsWith("lib/") || path === "mod.ts")
    .flatMap(({ path, imports }) =>
      imports.filter((to) => !isLocal(to) && !/^(npm|node):|^deno\.json$/.test(to)).map((to) =>
        `${path}: ${to}`
      )
    );
  deepStrictEqual(bare, []);
});

/** The files that tell Deno from Node: what Node lacks, what opens Deno's kernel, or the check of Node's version. */
const DENO_ONLY = [
  "lib/platform/exclusive.ts",
  "lib/platform/jupyter.ts",
  "lib/platform/node.ts",
  "lib/platform/package.ts",
  "lib/platform/permission.ts",
  "lib/platform/process_end.ts",
  "lib/platform/terminal.ts",
  "scripts/notebook.ts",
];

Deno.test("everything but a few files of lib/platform runs in Node, too", () => {
  // A template of init.ts is code of the user.
  const deno =
    /\bDeno\.(?!customInspect|(mkdir\("out"|readTextFile\("colors|writeTextFile\("colors))|"Deno" in/;
  const using = all.filter(({ path, code }) => !path.startsWith("lib/service/") && deno.test(code));
  deepStrictEqual(using.map(({ path }) => path), DENO_ONLY);
});

interface GraphModule {
  readonly specifier: string;
  readonly dependencies?: readonly {
    /** Whether it is imported at run time, not only as a type. */
    readonly code?: { readonly specifier: string };
    readonly npmPackage?: string;
  }[];
}

/** The files that Deno opens to import mod.ts, including dynamic imports with a literal specifier. */
async function opened(): Promise<GraphModule[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--no-lock", "--json", "mod.ts"],
    cwd: ROOT,
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: GraphModule[] };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const found = new Set<GraphModule>();
  const open = (specifier: string) => {
    const module = known.get(specifier);
    if (module === undefined || found.has(module)) return;
    found.add(module);
    for (const { code } of module.dependencies ?? []) if (code) open(code.specifier);
  };
  open(new URL("../mod.ts", import.meta.url).href);
  return [...found];
}

Deno.test("importing mod.ts downloads nothing that a researcher with a live service does not need", async () => {
  const packages = (await opened()).flatMap(({ dependencies = [] }) =>
    dependencies.filter(({ code }) => code !== undefined).map(({ npmPackage }) => npmPackage)
  );
  const names = new Set(packages.flatMap((name) => name?.replace(/@[^@]*$/, "") ?? []));
  deepStrictEqual([...names].sort(), ["fast-string-width", "nodejs-polars"]);
});

/** Each file costs a seventh of a millisecond, and polars takes fifty to load. */
const MOST_OPENED = 260;

Deno.test("importing mod.ts loads no file that is not needed before the first call", async () => {
  const files = (await opened()).map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith("file:"))
    .map((specifier) => relative(ROOT, new URL(specifier).pathname)).sort();
  ok(files.includes("lib/operations/blockchain_comparison.ts"), "the test reads the graph");
  for (const later of ["help/entries.json", "chart/page/page.ts"]) {
    ok(!files.includes(`lib/${later}`), later);
  }
  const hint = "what only async functions need can be opened later, by a computed specifier";
  ok(files.length <= MOST_OPENED, `${files.length} files (${hint}): ${files.join(" ")}`);
});

Deno.test("only the grammar reads times from texts, and only retries read HTTP dates", () => {
  const parsing = all.filter(({ path, code }) =>
    !path.startsWith("lib/service/") && /\bDate\.parse\(/.test(code)
  );
  deepStrictEqual(parsing.map(({ path }) => path), ["lib/http/retry.ts"]);
});

Deno.test("there is no import cycle", () => {
  const edges = new Map(all.map(({ path, imports }) => [path, imports.filter(isLocal)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  deepStrictEqual(circles, []);
});

Deno.test("docs/architecture.md has at most 120 lines", () => {
  ok(PAGE.split("\n").length - 1 <= 120, `${PAGE.split("\n").length - 1} lines`);
});

/** The text of a function of the client, up to the next line that begins with a brace. */
function bodyOf(name: string): string {
  const pattern = new RegExp(`^(?:export )?(?:async )?function ${name}\\b[^]*?^}`, "m");
  const client = all.filter(({ path }) => /^lib\/(operations|http)\//.test(path));
  const [body] = client.flatMap(({ code }) => pattern.exec(code)?.[0] ?? []);
  ok(body !== undefined, `lib has no function ${name}`);
  return body;
}

Deno.test("the call chain of docs/architecture.md leads from an operation to fetch in at most eight steps", () => {
  const [, list] = /^The call chain is ([^.]*)\./m.exec(PAGE)!;
  const names = [...list!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  deepStrictEqual([names[0], names.at(-1)], ["blockchainComparison", "fetch"]);
  const walk = names.slice(0, -1);
  ok(walk.length <= 8, `${walk.length} steps`);
  for (const [index, name] of walk.entries()) {
    const next = walk[index + 1] ?? "settings.fetch";
    ok(
      new RegExp(`${next}(<[^(]*>)?\\(`).test(bodyOf(name)),
      `${name} does not call ${next}`,
    );
  }
});

Deno.test("no name is exported by two files of lib, apart from the service", () => {
  const declared =
    /^export (?:async |abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
  const found = all.filter(({ path }) =>
    path.startsWith("lib/") && !path.startsWith("lib/service/")
  )
    .flatMap(({ path, code }) => [...code.matchAll(declared)].map(([, name]) => ({ name, path })));
  ok(found.length > 500, `${found.length} names`);
  const twice = [...Map.groupBy(found, ({ name }) => name)].filter(([, places]) =>
    places.length > 1
  );
  deepStrictEqual(twice.map(([name, places]) => [name, ...places.map(({ path }) => path)]), []);
});

Deno.test("every file named on the pages for contributors exists", async () => {
  const pages = ["docs/architecture.md", "docs/service/scaling.md", "CONTRIBUTING.md"];
  const page = (await Promise.all(pages.map((path) => Deno.readTextFile(join(ROOT, path))))).join();
  const named = [...page.matchAll(/`((?:lib|tests|scripts|docs|\.ci)\/[\w./]+|[\w/]+\.ts)`/g)]
    .map(([, name]) => name!.replace(/NAME\w*\.ts$/, ""));
  ok(named.length > 30, "the test reads the page");
  const exists = (path: string) => Deno.stat(join(ROOT, path)).then(() => true, () => false);
  for (const name of new Set(named)) {
    ok(await exists(name) || await exists(`lib/${name}`), name);
  }
});

Deno.test("every section of the interface that the code cites is a heading of docs/interface.md", async () => {
  const page = await Deno.readTextFile(join(ROOT, "docs/interface.md"));
  const headings = new Set([...page.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, n]) => n!));
  const cited = new Map<string, string>();
  for (const folder of ["lib", "scripts", "tests", "docs"]) {
    for await (const path of files(folder, /\.(ts|md)$/)) {
      const text = await Deno.readTextFile(join(ROOT, path));
      for (const [, number] of text.matchAll(/INTERFACE (\d+(?:\.\d+)?)/g)) {
        cited.set(number!, path);
      }
    }
  }
  ok(cited.size > 5, "the test reads the code");
  deepStrictEqual([...cited].filter(([number]) => !headings.has(number)), []);
});

/** The names that a text imports from each local file; `*` where it takes all of them. */
function namesImported(code: string, path: string): [file: string, name: string][] {
  const local = (specifier: string) => normalize(join(dirname(path), specifier));
  const lists = code.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g);
  const wholes = code.matchAll(/(?:\*(?:\s+as\s+\w+)?\s*from\s*|import\(\s*)"(\.[^"]+)"/g);
  return [
    ...[...lists].flatMap(([, names, specifier]) =>
      names!.split(",").map((name) => name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0]!)
        .filter((name) => name !== "").map((name): [string, string] => [local(specifier!), name])
    ),
    ...[...wholes].map(([, specifier]): [string, string] => [local(specifier!), "*"]),
  ];
}

/** The names that a text exports: by declarations, and by lists, of its own or of another file. */
function namesExported(code: string): string[] {
  const declared = code.matchAll(
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm,
  );
  const lists = code.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [
    ...[...declared].map(([, name]) => name!),
    ...[...lists].flatMap(([, names]) =>
      names!.split(",").map((name) => name.trim().replace(/^type\s+/, "").split(/\s+as\s+/).at(-1)!)
        .filter((name) => name !== "")
    ),
    // Their names cannot be read here; lib has no such exports.
    ...[...code.matchAll(/^export (\*|default)/gm)].map(([, name]) => `export ${name}`),
  ];
}

Deno.test("the export scanner finds every form of export", () => {
  deepStrictEqual(
    namesExported(
      "export const a = 1;\nexport async function b() {}\nexport type C = string;\n" +
        'export { d, e as f } from "./d.ts";\nexport type {\n  G,\n} from "./g.ts";\n' +
        'export * from "./h.ts";\nconst i = 1;\nexport { i, type J };',
    ),
    ["a", "b", "C", "d", "f", "G", "i", "J", "export *"],
  );
});

/** What other programs import. */
const ENTRIES = ["lib/declarations.ts", "lib/service/mod.ts", "lib/chart/marks.ts"];

Deno.test("lib exports nothing that no other file needs", async () => {
  const used = new Set<string>();
  const exported: [file: string, name: string][] = [];
  const paths = ["mod.ts"];
  for (const folder of ["lib", "scripts", "tests", ".ci"]) {
    for await (const path of files(folder, /\.ts$/)) paths.push(path);
  }
  for (const path of paths) {
    const code = await codeOf(path);
    for (const [file, name] of namesImported(code, path)) used.add(`${file} ${name}`);
    if (!path.startsWith("lib/") || ENTRIES.includes(path)) continue;
    exported.push(...namesExported(code).map((name): [string, string] => [path, name]));
  }
  const idle = exported
    .filter(([path, name]) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
    .map((pair) => pair.join(" "));
  ok(exported.length > 300, "the test reads the exports");
  deepStrictEqual(idle, []);
});

Deno.test("every entry of the npm package first imports the check of Node's version, which imports nothing", async () => {
  for (
    const entry of [
      "mod.ts",
      "lib/declarations.ts",
      "lib/chart/marks.ts",
      "lib/service/mod.ts",
      "scripts/chainframe.ts",
    ]
  ) {
    const code = await Deno.readTextFile(ROOT + entry);
    match(/^(?:import|export) .*$/m.exec(code)![0], /^import "[./a-z]*\/node\.ts";$/, entry);
  }
  const check = await Deno.readTextFile(`${ROOT}lib/platform/node.ts`);
  ok(!/^import /m.test(check));
});
