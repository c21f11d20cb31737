/** Installs the peers in bench/node_modules, when a section needs them. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

const timeOf = (file) => statSync(`${here}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Installs bench/package-lock.json unless it is installed. @errors Error when npm fails */
export const ensurePeers = (progress) => {
  if (timeOf("node_modules/.package-lock.json") >= timeOf("package-lock.json")) return;
  progress("Installing the benchmark's peers (npm ci) …");
  const { status } = spawnSync("npm", ["ci"], { cwd: here, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("The peers can't be installed. See the messages of npm above.");
};
