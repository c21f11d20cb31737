/** Bundles the types of entries into declaration files that refer to no package of this repository. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { root } from "../installed.mjs";

const CONTRACT = "packages/contract/src/index.ts";
const COMPILER = join(root, "node_modules/typescript-native/bin/tsc");

const writeJson = (path, value) => writeFileSync(path, JSON.stringify(value));

/** Declarations import sources by relative path and other packages by name; here, every module is a declaration file below `folder`. */
const relinked = (text, path, folder) =>
  text
    .replace(/(["'])(\.[^"']+)\.ts\1/g, '"$2.js"')
    .replace(/"@parley\/(\w+)"/g, (_, name) =>
      JSON.stringify(relative(dirname(path), join(folder, "packages", name, "src/index.js"))),
    );

/** Writes a declaration file for each source that the entries import. */
function emitDeclarations(entries, folder) {
  rmSync(folder, { recursive: true, force: true });
  const project = `${folder}.json`;
  writeJson(project, {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: folder, rootDir: root },
      // The folder can be outside the repository, where no types would be found.
      typeRoots: [join(root, "node_modules/@types")],
    },
    include: [],
    files: [CONTRACT, ...entries].map((path) => join(root, path)),
  });
  const { status, stdout } = spawnSync(process.execPath, [COMPILER, "-p", project], { encoding: "utf8" });
  rmSync(project);
  if (status !== 0) throw new Error(`The declarations can't be written:\n${stdout}`);
  for (const entry of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".d.ts"))) {
    const path = join(folder, entry);
    writeFileSync(path, relinked(readFileSync(path, "utf8"), path, folder));
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

async function bundle(input, external) {
  const project = `${input}.tsconfig.json`;
  const compilerOptions = { module: "nodenext", target: "es2023", types: [], skipLibCheck: true };
  writeJson(project, { compilerOptions, files: [input] });
  const bundled = await rollup({
    input,
    external: (id) => id.startsWith("node:") || external.includes(id),
    // The types of schemas are those of the library, which a user of the package does not install.
    plugins: [dts({ tsconfig: project, includeExternal: ["typebox"] })],
    onwarn: ({ message }) => {
      throw new Error(`The types of ${input} can't be bundled: ${message}`);
    },
  });
  const { output } = await bundled.generate({ format: "es" });
  await bundled.close();
  return output[0].code;
}

/**
 * @shape entries: paths of sources, relative to the root; folder: for intermediate files; external: libraries that the types may import
 * @returns texts of declaration files, in the order of the entries
 */
export async function bundledTypes(entries, { folder, external }) {
  emitDeclarations(entries, folder);
  const texts = [];
  for (const entry of entries) texts.push(await bundle(join(folder, entry.replace(/\.ts$/, ".d.ts")), external));
  rmSync(folder, { recursive: true });
  return texts;
}
