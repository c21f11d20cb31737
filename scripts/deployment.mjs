/** `npm run deployment`: checks the files of `deploy/` and the steps of docs/operators/README.md by executing them. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./installed.mjs";
import { DeploymentFailure, report } from "./deployment/tools.mjs";

const HELP = `npm run deployment -- <check> [options]: executes what the documentation of operators says, as root on Linux.

  npm run deployment -- files             the unit, the proxy, the compose file and the manifests, read by the tools of their systems
  npm run deployment -- steps             the ten steps of docs/operators/README.md, on an empty Debian in namespaces
  npm run deployment -- steps --second    the second machine too
  npm run deployment -- container         the image is built and run, with and without the profile of seccomp
  npm run deployment -- container --seccomp <file>  with the default profile of an engine; otherwise that of podman
  npm run deployment -- steps --packages <folder>   with the packages of another folder than release/

The packages are those of npm run release. Exit status 1 means that something failed; the last lines say what, and what to do next.`;

const CHECKS = {
  steps: async (options) => (await import("./deployment/steps.mjs")).checkSteps(options),
  container: async (options) => (await import("./deployment/container.mjs")).checkContainer(options),
  files: async () => (await import("./deployment/files.mjs")).checkFiles(),
};

function words() {
  try {
    return parseArgs({
      options: {
        second: { type: "boolean" },
        packages: { type: "string" },
        seccomp: { type: "string" },
        help: { type: "boolean" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new DeploymentFailure(`${error.message}. Next: npm run deployment -- --help`);
  }
}

try {
  const {
    values: { help, second, packages, seccomp },
    positionals: [check, ...others],
  } = words();
  if (help) console.log(HELP);
  else if (check === undefined || !Object.hasOwn(CHECKS, check) || others.length > 0)
    throw new DeploymentFailure(
      `Name one check: ${Object.keys(CHECKS).join(", ")}. Next: npm run deployment -- --help`,
    );
  else {
    await CHECKS[check]({
      second,
      seccomp,
      packages: packages === undefined ? join(root, "release") : resolve(packages),
    });
    report(`✔ ${check}`);
  }
} catch (error) {
  if (!(error instanceof DeploymentFailure)) throw error;
  report(`deployment: ${error.message}`);
  process.exitCode = 1;
}
