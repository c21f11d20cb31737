import type { UserFolder } from "./installed-release.ts";

/** Compilers that users of the packages have, and the way each resolves modules. The oldest is the oldest supported version. */
const COMPILERS = ["5.0.4", "5.9.3", "6.0.3", "7.0.2"] as const;
export type Compiler = (typeof COMPILERS)[number];

interface Resolution {
  readonly module: string;
  readonly moduleResolution: string;
  /** Extensions of the sources: `.ts` is a module, or CommonJS without `"type": "module"`. */
  readonly extensions: readonly string[];
  /** Compilers that have the resolution. */
  readonly compilers: readonly Compiler[];
}
const RESOLUTIONS: readonly Resolution[] = [
  { module: "nodenext", moduleResolution: "nodenext", extensions: [".mts", ".cts", ".ts"], compilers: COMPILERS },
  { module: "esnext", moduleResolution: "bundler", extensions: [".ts"], compilers: COMPILERS },
  { module: "commonjs", moduleResolution: "node10", extensions: [".ts"], compilers: ["5.0.4", "5.9.3", "6.0.3"] },
];

/** A compiler and a resolution, with a title. */
export const COMPILATIONS = RESOLUTIONS.flatMap((resolution) =>
  resolution.compilers.map((compiler) => ({
    title: `TypeScript ${compiler}, module ${resolution.module}, resolution ${resolution.moduleResolution}`,
    compiler,
    resolution,
  })),
);

/** Names under which npm installs the compilers beside each other. */
export const COMPILER_PACKAGES = COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`);

/** What the project's code runs on: the types of Node, or those of browsers. */
const PLATFORMS = {
  node: { lib: ["es2022"], types: ["node"] },
  browser: { lib: ["es2022", "dom"], types: [] as string[] },
};

/**
 * Compiles a source as strictly as TypeScript can, with the types of the libraries. -> the compiler's complaints, "" without complaints
 * @shape source: without extension, is written with each extension of the resolution
 */
export async function compile(
  user: UserFolder,
  {
    compiler,
    resolution,
    platform,
    source,
  }: (typeof COMPILATIONS)[number] & {
    readonly platform: keyof typeof PLATFORMS;
    readonly source: string;
  },
): Promise<string> {
  const folder = `types/${platform}-${compiler}-${resolution.moduleResolution}`;
  const files = resolution.extensions.map((extension) => `source${extension}`);
  for (const file of files) user.write(`${folder}/${file}`, source);
  const { module, moduleResolution } = resolution;
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ module, moduleResolution, target: "es2022", noEmit: true, ...PLATFORMS[platform] },
    ...(compiler.startsWith("6") && moduleResolution === "node10" && { ignoreDeprecations: "6.0" }),
  };
  user.write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files }));
  const { stdout, stderr } = await user.run(["node", `node_modules/typescript-${compiler}/bin/tsc`, "-p", folder]);
  return stdout + stderr;
}
