/** Ways out of an app's folder, for tests that look for what lies outside. */

/** Where the attempts of a test may lead. */
export interface Outside {
  /** Absolute path of a folder beside the apps' folders. */
  readonly folder: string;
}

export interface Attempt {
  readonly title: string;
  /** By path from the app's folder; besides a sound app's own. */
  readonly files?: Readonly<Record<string, string | object | undefined>>;
  /** Targets by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Entry from which esbuild by itself, as a process with all rights would run it, tells the canary; absent where another reader would. */
  readonly leaksFrom?: string;
  /** Where it is no error: inside a boundary, which holds nothing that could be refused, or everywhere, since it is of no effect. */
  readonly isSilent?: "inside" | "everywhere";
}

/** Files that lie outside, each with the canary. */
export const outsideFiles = (canary: string): Readonly<Record<string, string>> => ({
  secret: canary,
  "secret.txt": canary,
  "secret.js": `module.exports = ${JSON.stringify(canary)};`,
  "index.js": `module.exports = ${JSON.stringify(canary)};`,
  "secret.ts": `export default ${JSON.stringify(canary)};`,
  "secret.json": JSON.stringify({ secret: canary }),
  "secret.css": `.${canary} { color: red }`,
  "secret.html": `<p>${canary}</p>`,
  "secret.map": JSON.stringify({
    version: 3,
    sources: ["x"],
    sourcesContent: [canary],
    names: [canary],
    mappings: "AAAAA",
  }),
  "package.json": JSON.stringify({ name: canary, version: "1.0.0", main: "index.js" }),
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxFactory: canary } }),
});

export const SERVER = "server/server.js";
export const server = (text: string) => ({ [SERVER]: `${text}\nexports = { hear: function () {} };` });
export const typed = (text: string) => ({
  [SERVER]: undefined,
  "server/server.ts": `${text}\nexport default { hear(): void {} };`,
});
export const PAGE = "app/page.ts";
export const page = (text: string) => ({ "app/index.html": '<script src="page.ts"></script>', [PAGE]: text });
export const dataMap = (map: object) =>
  `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
