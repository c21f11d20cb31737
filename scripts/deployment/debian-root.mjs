/** An empty Debian, made by mmdebstrap from the mirror that this machine uses. */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CACHE, report, run } from "./tools.mjs";

const SUITE = "trixie";
/** An archive is made anew after this time, so that it has Debian's corrections. @units milliseconds */
const maxAgeMs = 3 * 86_400_000;

/** The mirror of Debian in this machine's settings, without the suites for security. */
const mirror = () => {
  const uris = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]).split("\n");
  return uris.find((uri) => /\/debian\/?$/.test(uri)) ?? "http://deb.debian.org/debian";
};

/** Settings of apt and dpkg that only the check needs: time for the disk, and mirrors whose lists are not dated. */
const CHECK_SETTINGS = [
  ["etc/dpkg/dpkg.cfg.d/check", "force-unsafe-io\n"],
  ["etc/apt/apt.conf.d/90check", 'Acquire::Languages "none";\nAcquire::Check-Valid-Until "false";\n'],
];

/** Packages of a machine that runs systemd, beyond those of an image. */
const MACHINE_PACKAGES = "systemd-sysv,dbus";

/** -> path of a tar archive with a minimal Debian 13 */
export function debianArchive({ isMachine = false } = {}) {
  const archive = join(CACHE, `debian-${SUITE}${isMachine ? "-machine" : ""}.tar`);
  if (existsSync(archive) && Date.now() - statSync(archive).mtimeMs < maxAgeMs) return archive;
  report("Making an empty Debian 13 …");
  const draft = join(CACHE, `draft-${process.pid}.tar`);
  const include = isMachine ? [`--include=${MACHINE_PACKAGES}`] : [];
  run(["mmdebstrap", "--quiet", "--variant=minbase", ...include, SUITE, draft, mirror()]);
  renameSync(draft, archive);
  return archive;
}

/** Unpacks an empty Debian with systemd into a folder. */
export function machineRoot(folder) {
  mkdirSync(folder, { recursive: true });
  const archive = debianArchive({ isMachine: true });
  run(["tar", "--extract", "--numeric-owner", "--file", archive, "--directory", folder]);
  writeCheckSettings(folder);
}

/** Where npm can read the certificates of registries, also in the isolation of an app's packages. */
const NPM_AUTHORITIES = "etc/ssl/certs/npm-authorities.pem";
/** Settings that npm reads with every --prefix: those of Debian's npm, and of the npm beside a Node in /usr/local. */
const NPM_SETTINGS = ["etc/npmrc", "usr/local/lib/node_modules/npm/npmrc"];

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Lets npm find the packages that Parley depends on, in the root as on this machine. */
function writeNpmSettings(folder) {
  const setting = (name) => run(["npm", "config", "get", name], { cwd: "/" }).trim();
  const lines = [`registry=${setting("registry")}`, "update-notifier=false"];
  const authorities = setting("cafile");
  if (existsSync(authorities)) {
    write(join(folder, NPM_AUTHORITIES), readFileSync(authorities));
    lines.push(`cafile=/${NPM_AUTHORITIES}`);
  }
  for (const path of NPM_SETTINGS) write(join(folder, path), `${lines.join("\n")}\n`);
}

/** Files that only the check needs. */
export function writeCheckSettings(folder) {
  for (const [path, text] of CHECK_SETTINGS) write(join(folder, path), text);
  writeNpmSettings(folder);
}
