import { importedFiles, packageOf, type Source } from "./sources.ts";

/** By node, the nodes that it imports, each with a description of every import. */
type ImportGraph = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Relative imports between nodes. @shape nodeOf: the node of a file's path; undefined for a file that belongs to no node */
export const importGraph = (
  sources: readonly Source[],
  nodeOf: (path: string) => string | undefined = (path) => path,
): ImportGraph => {
  const graph = new Map<string, Map<string, string[]>>();
  for (const source of sources)
    for (const target of importedFiles(source)) {
      const [from, to] = [nodeOf(source.path), nodeOf(target)];
      if (from === undefined || to === undefined || from === to) continue;
      const targets = graph.get(from) ?? new Map<string, string[]>();
      targets.set(to, [...(targets.get(to) ?? []), `${source.path} imports ${target}`]);
      graph.set(from, targets);
    }
  return graph;
};

/** @returns each cycle as the imports that lead from a node back to itself, one description for each step */
export const cyclesOf = (graph: ImportGraph): string[][] => {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string, path: readonly string[]) => {
    if (path.includes(node)) {
      const cycle = [...path.slice(path.indexOf(node)), node];
      cycles.push(cycle.slice(1).map((next, index) => graph.get(cycle[index] ?? "")?.get(next)?.[0] ?? ""));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node)?.keys() ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return cycles;
};

/** @returns the pairs of nodes that import each other, with the number of imports in each direction: `a ⇄ b 3/1` */
export const pairsOf = (graph: ImportGraph): string[] =>
  [...graph].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, imports]) => {
      const back = graph.get(to)?.get(from);
      return back && from < to ? [`${from} ⇄ ${to} ${imports.length}/${back.length}`] : [];
    }),
  );

/**
 * The floor of each node: 1 without imports of other nodes, else one above the highest floor that the node imports. In a cycle, the node that
 * is reached again does not count.
 */
export const floorsOf = (graph: ImportGraph, nodes: Iterable<string>): Map<string, number> => {
  const floors = new Map<string, number>();
  const floorOf = (node: string, path: readonly string[]): number => {
    const known = floors.get(node);
    if (known !== undefined) return known;
    if (path.includes(node)) return 0;
    const below = [...(graph.get(node)?.keys() ?? [])].map((next) => floorOf(next, [...path, node]));
    const floor = 1 + Math.max(0, ...below);
    floors.set(node, floor);
    return floor;
  };
  for (const node of nodes) floorOf(node, []);
  return floors;
};

/** The folder directly below `src/` of a package, or the folder of the app at the root; undefined for a file outside of those folders. */
export const firstLevelFolder = (path: string): string | undefined =>
  packageOf(path) === "app" ? /^([^/]+)\//.exec(path)?.[1] : /^packages\/[^/]+\/src\/([^/]+)\//.exec(path)?.[1];

interface PackageStructure {
  readonly name: string;
  /** First-level folders, each with its floor, from the lowest floor. */
  readonly folders: readonly { readonly name: string; readonly floor: number; readonly imports: readonly string[] }[];
  readonly floors: number;
  /** First-level folders that import each other: see `pairsOf`. */
  readonly pairs: readonly string[];
  /** Cycles between first-level folders: see `cyclesOf`. */
  readonly cycles: readonly (readonly string[])[];
  readonly files: number;
  readonly lines: number;
}

/** @returns the structure of each package, and of the app at the root by the name `app` */
export const structuresOf = (sources: readonly Source[]): PackageStructure[] =>
  [...new Set(sources.map(({ path }) => packageOf(path)))].map((name) => {
    const own = sources.filter(({ path }) => packageOf(path) === name);
    const graph = importGraph(own, firstLevelFolder);
    const nodes = new Set(own.flatMap(({ path }) => firstLevelFolder(path) ?? []));
    const floors = floorsOf(graph, nodes);
    return {
      name,
      folders: [...floors]
        .map(([folder, floor]) => ({ name: folder, floor, imports: [...(graph.get(folder)?.keys() ?? [])].sort() }))
        .sort((one, other) => one.floor - other.floor || one.name.localeCompare(other.name)),
      floors: Math.max(0, ...floors.values()),
      pairs: pairsOf(graph),
      cycles: cyclesOf(graph),
      files: own.length,
      lines: own.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0),
    };
  });
