/** Attempts to read files outside an app's folder, for tests that search all output for a canary. */

/** Location of the files that an attempt tries to read. */
export interface OutsideFolder {
  /** Absolute path of a folder beside the apps' folders. */
  readonly folder: string;
}

export interface EscapeAttempt {
  readonly title: string;
  /** Files by path from the app's folder, in addition to those of a valid app. */
  readonly files?: Readonly<Record<string, string | object | undefined>>;
  /** Link targets by path from the app's folder. */
  readonly links?: Readonly<Record<string, string>>;
  /** Entry from which unconfined esbuild outputs the canary. Absent if another reader would output it. */
  readonly leaksFrom?: string;
  /** Where the attempt causes no error: inside a boundary, where the target doesn't exist, or everywhere, since the attempt has no effect. */
  readonly isSilent?: "inside" | "everywhere";
}

/** Files outside the app's folder, each with the canary. */
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
