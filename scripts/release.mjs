/** `npm run release`: packs the packages that are installed without a clone. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { ensureInstalled, root } from "./installed.mjs";

const HELP = `npm run release [-- --json]: writes the packages @parley/parley (the command), @parley/framework (test harness and types for
app authors), @parley/client and @parley/messenger-types (for sites) to release/, ready for npm install and npm publish. The same commit gives the
same bytes.

  npm run release                    prints the files and their sizes
  npm run release -- --json          prints {"packages": [{"name", "version", "file"}]}; files are relative to the root
  npm run release -- --out <folder>  writes to another folder, which must be absent or empty`;

const report = (line) => process.stderr.write(`${line}\n`);
function fail(text) {
  report(`release: ${text}`);
  process.exit(1);
}
function options() {
  try {
    return parseArgs({ options: { json: { type: "boolean" }, out: { type: "string" }, help: { type: "boolean" } } })
      .values;
  } catch (error) {
    return fail(`${error.message}. Next: npm run release -- --help`);
  }
}
const { json: isJson, out, help } = options();
if (help) {
  console.log(HELP);
  process.exit(0);
}
const target = out === undefined ? join(root, "release") : resolve(out);
// The default folder belongs to this command; any other could be something else's.
if (out !== undefined && existsSync(target) && readdirSync(target).length > 0)
  fail(`${target} is not empty. Next: name a folder that is absent or empty. Nothing was written.`);

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { stagePackages } = await import("./release/stage.mjs");
const { gzipSync } = await import("fflate");

const staging = join(target, ".staging");

/** Runs a command without output on success, and ends this one if it fails. -> its standard output */
function run(words, step, cwd = root) {
  const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { cwd, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status === 0) return stdout;
  return fail(
    `${step} failed:\n${stdout}${stderr}\nNext: correct what is reported above, then run npm run release again.`,
  );
}
/** Node's own compression differs from version to version, this library's does not. */
const compressed = (bytes) => gzipSync(bytes, { level: 9, mtime: 0 });
const node = (...words) => [process.execPath, ...words];
const npm = process.env.npm_execpath ? node(process.env.npm_execpath) : ["npm"];

rmSync(target, { recursive: true, force: true });
mkdirSync(staging, { recursive: true });
report("Packing Concierge …");
const concierge = join(staging, "concierge.zip");
run(node("packages/parley/bin/parley.mjs", "pack", "--out", concierge), "Packing Concierge");
report("Bundling the packages and their types …");
const folders = await stagePackages(join(staging, "packages"), concierge);
report("Packing the packages …");
const packages = folders.map((folder) => {
  const words = ["pack", "--json", "--loglevel=error", "--pack-destination", target];
  const [{ name, version, filename, unpackedSize }] = JSON.parse(run([...npm, ...words], "npm pack", folder));
  const file = join(target, filename);
  const bytes = compressed(gunzipSync(readFileSync(file)));
  writeFileSync(file, bytes);
  return { name, version, file: relative(root, file), size: bytes.length, unpackedSize };
});
rmSync(staging, { recursive: true });

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
if (isJson) {
  console.log(JSON.stringify({ packages: packages.map(({ name, version, file }) => ({ name, version, file })) }));
} else {
  for (const { name, version, file, size, unpackedSize } of packages)
    console.log(`${name} ${version}  ${file}  ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked`);
  console.log(`\nNext, in another folder: npm install ${packages.map(({ file }) => join(root, file)).join(" ")}`);
}
