import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { searchPath } from "../../environment/config.ts";
import { nodeFiles } from "../../sandbox/confined-program.ts";
import { registryAddress, type NpmSettings } from "./npmrc.ts";

/** npm's program relative to Node's folder, as distributed with Node. */
const NPM_PATHS_FROM_NODE = ["node_modules/npm/bin/npm-cli.js", "../lib/node_modules/npm/bin/npm-cli.js"];
/** Folder in which Debian-based distributions share npm's own packages. */
const SHARED_PACKAGES = "/usr/share/nodejs";

/** -> path of npm's program; undefined without an npm that Node can run */
export function npmProgram(): string | undefined {
  const beside = [process.execPath, realpathSync(process.execPath)].flatMap((node) =>
    NPM_PATHS_FROM_NODE.map((place) => join(dirname(node), place)),
  );
  const found = [
    ...beside,
    ...searchPath()
      .split(delimiter)
      .map((folder) => join(folder, "npm")),
  ];
  return found
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .find((path) => path.endsWith("npm-cli.js"));
}

/** System files for name resolution and TLS certificates. */
const NETWORK_FILES = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/ca-certificates",
  "/usr/share/ca-certificates",
  "/usr/local/share/ca-certificates",
];
const NAME_LIBRARY = /^lib(?:nss_|resolv)[\w.-]*\.so/;

/** Files that npm needs in addition to Node. */
export function npmFiles(program: string): string[] {
  const packages = program.startsWith(SHARED_PACKAGES) ? SHARED_PACKAGES : dirname(dirname(program));
  const folders = [...new Set(nodeFiles().map((file) => dirname(file)))].filter((folder) => /\/lib/.test(folder));
  const libraries = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => NAME_LIBRARY.test(name))
      .map((name) => join(folder, name)),
  );
  return [packages, ...NETWORK_FILES.filter((path) => existsSync(path)), ...libraries];
}

/** The operator's npm settings for reaching registries. All other settings, including secrets, are withheld from an app's installation. */
const OPERATOR_SETTINGS = ["proxy", "https-proxy", "noproxy", "cafile"];
/** Debian's npm takes several seconds on a busy machine; without its answer no package can be installed. @units milliseconds */
const CONFIG_TIMEOUT_MS = 60_000;

/** The machine-wide npm settings of the operator. */
export async function operatorSettings(program: string): Promise<NpmSettings> {
  // Runs outside of any project, whose settings are not the operator's.
  const { stdout } = await promisify(execFile)(process.execPath, [program, "config", "list", "--json"], {
    cwd: "/",
    timeout: CONFIG_TIMEOUT_MS,
  }).catch(() => ({ stdout: "{}" }));
  const all = new Map(Object.entries(JSON.parse(stdout) as object));
  const settings = new Map<string, string>();
  const registry: unknown = all.get("registry");
  const address = typeof registry === "string" ? registryAddress(registry) : undefined;
  if (address !== undefined) settings.set("registry", address);
  for (const name of OPERATOR_SETTINGS) {
    const value: unknown = all.get(name);
    const text = Array.isArray(value) ? value.join(",") : value;
    if (typeof text === "string" && text !== "" && !/[\r\n]/.test(text)) settings.set(name, text);
  }
  return settings;
}
