/** Builds the image of deploy/container with buildah, on a base image that stands in for the official one of Node. */
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "../installed.mjs";
import { installVersion, npmProgram, resolveVersions } from "../node-versions/binaries.mjs";
import { debianArchive, writeCheckSettings } from "./debian-root.mjs";
import { DeploymentFailure, report, run } from "./tools.mjs";

/** Trusts the images that this check makes itself: no other one is fetched. */
const POLICY = { default: [{ type: "insecureAcceptAnything" }] };

/** A store of images in a folder of the check. */
function imageStore(folder) {
  const policy = join(folder, "policy.json");
  writeFileSync(policy, JSON.stringify(POLICY));
  const command = [
    "buildah",
    "--root",
    join(folder, "storage"),
    "--runroot",
    join(folder, "run"),
    "--storage-driver",
    "vfs",
  ];
  return {
    buildah: (...words) => run([...command, ...words], { cwd: folder }).trim(),
    trusted: ["--signature-policy", policy],
  };
}

/**
 * Registries of images can't be reached everywhere. The official image of Node is a slim Debian with Node and npm in /usr/local and the user
 * `node`; the same is made of Debian's packages, and of Node from the npm registry.
 */
function makeBaseImage({ buildah, trusted }, folder, name) {
  const [, major] = /node:(\d+)-trixie-slim$/.exec(name) ?? [];
  if (major === undefined) throw new DeploymentFailure(`The check has no stand-in for the base image ${name}.`);
  const [version] = resolveVersions([major]);
  report(`Making a stand-in for ${name}: Debian 13 with Node ${version} …`);
  const files = join(folder, "base");
  mkdirSync(join(files, "usr/local/bin"), { recursive: true });
  copyFileSync(installVersion(version), join(files, "usr/local/bin/node"));
  cpSync(dirname(dirname(npmProgram())), join(files, "usr/local/lib/node_modules/npm"), { recursive: true });
  writeCheckSettings(files);
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, debianArchive(), "/");
  buildah("add", "--quiet", container, files, "/");
  const links = ["npm", "npx"].map((each) => `ln -s ../lib/node_modules/npm/bin/${each}-cli.js /usr/local/bin/${each}`);
  const steps = ["groupadd --gid 1000 node", "useradd --uid 1000 --gid 1000 --create-home node", ...links].join(" && ");
  buildah("run", "--isolation", "chroot", container, "--", "sh", "-c", steps);
  buildah("commit", "--quiet", ...trusted, container, name);
  buildah("rm", container);
}

/**
 * Builds the image as its file says, without a registry of images.
 * @shape file: the package of the release
 * @returns the root of a container with its settings: user, environment, health check, …
 */
export function buildImage(folder, file) {
  const store = imageStore(folder);
  const { buildah, trusted } = store;
  const context = join(folder, "context");
  mkdirSync(context);
  for (const path of [file, join(root, "deploy/container/Containerfile")])
    copyFileSync(path, join(context, basename(path)));
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(run(["cat", join(context, "Containerfile")])) ?? [];
  makeBaseImage(store, folder, base ?? "");
  report("Building the image with buildah …");
  const words = [
    "--pull-never",
    "--isolation",
    "chroot",
    "--format",
    "docker",
    "--file",
    join(context, "Containerfile"),
  ];
  buildah("build", ...words, ...trusted, "--tag", "parley-check", context);
  const { Docker } = JSON.parse(buildah("inspect", "--type", "image", "parley-check"));
  const container = buildah("from", "--pull-never", "parley-check");
  return { settings: Docker.config, rootFolder: buildah("mount", container) };
}
