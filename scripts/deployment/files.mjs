/** Lets the tools of their systems read the files of `deploy/`. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../installed.mjs";
import { npmProgram } from "../node-versions/binaries.mjs";
import { CACHE, cleanUp, DeploymentFailure, report, requirePrograms, run } from "./tools.mjs";

const DEPLOY = join(root, "deploy");
/** `systemd-analyze security` rates from 0 to 10; 10 times as much here. */
const MAX_EXPOSURE = 30;
/** Schemas of Kubernetes as classes that validate, and a reader of YAML. */
const SCHEMA_PACKAGES = ["kubernetes-models@5.1.0", "yaml@2"];

const MODULES = ["--module", "nodenext", "--moduleResolution", "nodenext"];

function checkUnits(folder) {
  cpSync(join(DEPLOY, "systemd"), folder, { recursive: true });
  const unit = join(folder, "parley.service");
  for (const name of ["parley.service", "parley-backup.service", "parley-backup.timer"]) {
    const path = join(folder, name);
    // The command exists on the machine of the operator only.
    writeFileSync(path, readFileSync(path, "utf8").replace("ExecStart=/usr/local/bin/parley", "ExecStart=/bin/true"));
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
    const findings = `${stdout}${stderr}`.split("\n").filter((line) => line.includes(name));
    if (status !== 0 || findings.length > 0) throw new DeploymentFailure(`${name}:\n${stdout}${stderr}`);
  }
  const words = ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`, "--no-pager", unit];
  report(
    `✔ systemd  ${run(["systemd-analyze", ...words])
      .trim()
      .split("\n")
      .at(-1)
      .replace("→ ", "")}`,
  );
}

function checkCompose(folder) {
  cpSync(join(DEPLOY, "compose"), folder, { recursive: true });
  for (const name of ["parley.env", "postgres-password", "certificate.pem"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "parley-seccomp.json"), "{}");
  run(["docker-compose", "--file", join(folder, "compose.yaml"), "config", "--quiet"], { cwd: folder });
  report("✔ compose");
}

const PROXIES = ["haproxy/one-machine.cfg", "haproxy/two-machines.cfg", "compose/haproxy.cfg"];

function checkProxies(folder) {
  mkdirSync(folder);
  const [certificate, key] = ["certificate.pem", "key.pem"].map((name) => join(folder, name));
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=chat.example.com"];
  run(["openssl", ...words, "-keyout", key, "-out", certificate], { stdio: "pipe" });
  appendFileSync(certificate, readFileSync(key));
  for (const name of PROXIES) {
    const path = join(folder, "haproxy.cfg");
    const text = readFileSync(join(DEPLOY, name), "utf8").replaceAll("/etc/haproxy/parley.pem", certificate);
    // The user of the proxy's package exists on the machine of the operator only.
    writeFileSync(path, text.replace(/^ *(user|group) haproxy\n/gm, ""));
    run(["haproxy", "-c", "-f", path]);
  }
  report(`✔ HAProxy  ${PROXIES.join(", ")}`);
}

/** Installs packages that only this check needs. -> a function that imports one of their files */
function schemaPackages() {
  const folder = join(CACHE, "schemas");
  if (!existsSync(join(folder, "node_modules/kubernetes-models"))) {
    const words = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    run([process.execPath, npmProgram(), ...words, ...SCHEMA_PACKAGES]);
  }
  return (path) => import(pathToFileURL(join(folder, "node_modules", path)));
}

/** The schemas ignore unknown members, which the compiler refuses in a literal of the object's type. @errors DeploymentFailure */
function checkMembers(objects) {
  const program = join(CACHE, "schemas/objects.ts");
  const lines = objects.flatMap((object, index) => [
    `import type { I${object.kind} as T${index} } from "kubernetes-models/${object.apiVersion}/${object.kind}";`,
    `export const object${index}: T${index} = ${JSON.stringify(object, null, 2)};`,
  ]);
  writeFileSync(program, lines.join("\n"));
  const tsc = join(root, "node_modules/typescript-native/bin/tsc");
  run([process.execPath, tsc, "--noEmit", "--ignoreConfig", "--skipLibCheck", "--strict", ...MODULES, program]);
}

async function checkManifests(folder) {
  cpSync(join(DEPLOY, "kubernetes"), folder, { recursive: true });
  writeFileSync(join(folder, "parley.env"), "DATABASE_URL=postgres://db.example.com/parley\nPARLEY_SECRETS_KEY=0\n");
  const text = run(["kubectl", "kustomize", folder]);
  const load = schemaPackages();
  const { parseAllDocuments } = (await load("yaml/dist/index.js")).default;
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  for (const object of objects) {
    const { apiVersion, kind, metadata } = object;
    const { [kind]: Model } = await load(`kubernetes-models/${apiVersion}/${kind}.js`);
    try {
      new Model(object).validate();
    } catch (error) {
      throw new DeploymentFailure(`${kind} ${metadata.name}: ${error.message}`);
    }
  }
  checkMembers(objects);
  report(`✔ Kubernetes  ${objects.length} objects: ${objects.map(({ kind }) => kind).join(", ")}`);
}

/** @errors DeploymentFailure with the findings of the first tool that has some */
export async function checkFiles() {
  requirePrograms(["systemd-analyze", "haproxy", "openssl", "docker-compose", "kubectl"], { asRoot: false });
  const clean = cleanUp();
  const base = mkdtempSync(join(tmpdir(), "parley-files-"));
  clean.add(() => rmSync(base, { recursive: true, force: true }));
  try {
    checkUnits(join(base, "systemd"));
    checkProxies(join(base, "proxies"));
    checkCompose(join(base, "compose"));
    await checkManifests(join(base, "kubernetes"));
  } finally {
    clean.remove();
  }
}
