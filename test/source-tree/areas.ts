import { importedFiles, type Source } from "./sources.ts";

/** What an area imports, and what others may import of it: a row of the table `areas.json` of a package. */
export interface Area {
  /** Names of the other areas that it imports. */
  readonly imports: readonly string[];
  /** Paths in the area that other areas may import beside `module.ts`. A path that ends with `/` names a folder. */
  readonly ports: readonly string[];
}

/**
 * Checks the imports between the areas of a package, which are the folders directly below `src/`.
 * @shape src: the folder of the areas, from the root, with `/` at its end
 * @returns a text for each import that the table does not permit, and for each entry of the table that nothing uses
 */
export const areaFaults = (
  areas: Readonly<Record<string, Area>>,
  sources: readonly Source[],
  src: string,
): string[] => {
  /** @returns the area of a file and its path there; no area for a file directly below `src/` */
  const placeOf = (path: string): readonly [area: string | undefined, inside: string] => {
    const [area = "", ...rest] = path.slice(src.length).split("/");
    return rest.length > 0 ? [area, rest.join("/")] : [undefined, area];
  };
  const own = sources.filter(({ path }) => path.startsWith(src));
  const folders = new Set(own.flatMap(({ path }) => placeOf(path)[0] ?? []));
  const unused = new Set(
    Object.entries(areas).flatMap(([name, { imports, ports }]) => [
      ...imports.map((area) => `${name} imports ${area}`),
      ...ports.map((port) => `port ${name}/${port}`),
    ]),
  );
  const faultOf = (from: string | undefined, path: string): string | undefined => {
    const [to, inside] = placeOf(path);
    if (from === to) return undefined;
    if (to === undefined) return "no area may import a file directly below src";
    if (from !== undefined) {
      if (!areas[from]?.imports.includes(to)) return `${from} may not import ${to}`;
      unused.delete(`${from} imports ${to}`);
    }
    if (inside === "module.ts") return undefined;
    const port = areas[to]?.ports.find((each) => (each.endsWith("/") ? inside.startsWith(each) : inside === each));
    if (port === undefined) return `it is neither the module nor a port of ${to}`;
    unused.delete(`port ${to}/${port}`);
    return undefined;
  };
  const forbidden = own.flatMap((source) =>
    importedFiles(source).flatMap((target) => {
      const fault = faultOf(placeOf(source.path)[0], target);
      return fault === undefined ? [] : [`${source.path} imports ${target}: ${fault}`];
    }),
  );
  return [
    ...[...folders].filter((folder) => !(folder in areas)).map((folder) => `${folder} has no row`),
    ...Object.keys(areas)
      .filter((name) => !folders.has(name))
      .map((name) => `${name} has a row and no folder`),
    ...forbidden,
    ...[...unused].map((entry) => `nothing uses the entry: ${entry}`),
  ];
};
