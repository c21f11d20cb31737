/** Builds and runs the image: isolation with and without the profile of seccomp, readiness, an answered customer, the stop. */
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withAdditions } from "../../deploy/container/seccomp.mjs";
import { root } from "../installed.mjs";
import { buildImage } from "./image.mjs";
import { machineNetwork, RESOLVER } from "./machine.mjs";
import { startContainer } from "./oci-container.mjs";
import { releasedPackage } from "./steps.mjs";
import { cleanUp, DeploymentFailure, report, requirePrograms, run, until } from "./tools.mjs";

/** The default profile of podman, from Debian's package golang-github-containers-common. */
const DEFAULT_PROFILE = "/usr/share/containers/seccomp.json";
const CONCIERGE = "/opt/parley/node_modules/@parley/parley/packages/parley/apps/concierge.zip";
const NAMESPACES = "namespaces of bubblewrap";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** -> what `parley doctor` reports about the isolation of apps */
async function isolationOf(name, base, options) {
  const { ended, output } = startContainer(name, base, { ...options, args: ["parley", "doctor"] });
  await ended;
  const [line = output()] = /^.*App process.*$/m.exec(output()) ?? [];
  return line.trim();
}

function expectSetting(settings, name, expected) {
  const found = JSON.stringify(settings[name]);
  if (found !== JSON.stringify(expected))
    throw new DeploymentFailure(`The image's ${name} is ${found} instead of ${JSON.stringify(expected)}.`);
}

async function serveInContainer(base, options) {
  const { settings } = options;
  const started = Date.now();
  const container = startContainer("parley", base, { ...options, args: [...settings.Entrypoint, ...settings.Cmd] });
  options.clean.add(() => container.child.kill("SIGKILL"));
  // Process 1 of the container: its end ends all others.
  options.clean.add(() => container.child.exitCode === null && container.signal("KILL"));
  const details = () => container.output();
  const [, ...health] = settings.Healthcheck.Test;
  const succeeds = (words) => async () => {
    if (container.child.exitCode !== null) throw new DeploymentFailure(`The container has ended:\n${details()}`);
    try {
      container.execute(words);
      return true;
    } catch {
      return undefined;
    }
  };
  await until("The health check of the image", succeeds(health), { seconds: 300, details });
  report(`✔ healthy after ${Math.round((Date.now() - started) / 1000)} s`);
  // The service is ready before the platform, and commands find the instance when both are.
  await until("The start of the platform", succeeds(["parley", "status"]), { seconds: 300, details });
  container.execute(["parley", "account", "create", "lumen", "--owner", "ada@lumen.example", "--plan", "Growth"]);
  container.execute(["parley", "publish", CONCIERGE]);
  container.execute(["parley", "apps", "install", "concierge", "--account", "lumen"]);
  const { token } = JSON.parse(container.execute(["parley", "token", "create", "--account", "lumen", "--json"]));
  const chat = ["parley", "chat", "--once", "Hello", "--wait", "180", "--token", token];
  const reply = container.execute([...chat, "--url", "http://127.0.0.1:10002/v2"]);
  report(`✔ a customer is answered\n${reply.trim().replace(/^/gm, "    ")}`);
  const stopped = Date.now();
  container.signal(settings.StopSignal);
  await until("The stop", async () => container.child.exitCode ?? undefined, { seconds: 60, details });
  const seconds = ((Date.now() - stopped) / 1000).toFixed(1);
  if (container.child.exitCode !== 0) throw new DeploymentFailure(`The stop ended with an error:\n${details()}`);
  report(`✔ stops in ${seconds} s with exit status 0`);
}

/** @shape seccomp: file of the engine's default profile @errors DeploymentFailure */
export async function checkContainer({ packages, seccomp = DEFAULT_PROFILE }) {
  requirePrograms(["mmdebstrap", "buildah", "crun", "slirp4netns", "ip"]);
  if (!existsSync(seccomp))
    throw new DeploymentFailure(`${seccomp} does not exist. Next: name the profile with --seccomp.`);
  const file = releasedPackage(packages);
  const clean = cleanUp();
  const base = mkdtempSync(join(tmpdir(), "parley-container-"));
  clean.add(() => rmSync(base, { recursive: true, force: true }));
  try {
    const { settings, rootFolder } = buildImage(base, file);
    expectSetting(settings, "User", "10002:10002");
    expectSetting(settings, "Volumes", { "/data": {} });
    const size = run(["du", "--summarize", "--block-size=MB", rootFolder]).split("\t")[0];
    report(`✔ built: ${size} unpacked, user ${settings.User}, volume /data`);
    const network = machineNetwork(clean);
    const data = join(base, "data");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, 10_002, 10_002);
    writeFileSync(join(base, "resolv.conf"), `nameserver ${RESOLVER}\n`);
    writeFileSync(join(base, "hosts"), "127.0.0.1 localhost\n");
    const files = ["resolv.conf", "hosts"].map((name) => [join(base, name), `/etc/${name}`]);
    const options = { settings, rootFolder, network, data, files, clean };
    const profile = readJson(seccomp);
    const extended = withAdditions(profile, readJson(join(root, "deploy/container/seccomp-additions.json")));
    report(`  with ${seccomp} alone: ${await isolationOf("default", base, { ...options, profile })}`);
    const isolation = await isolationOf("extended", base, { ...options, profile: extended });
    report(`  with the additions: ${isolation}`);
    if (!isolation.includes(NAMESPACES))
      throw new DeploymentFailure("The isolation is not complete with the additions to the profile.");
    await serveInContainer(base, { ...options, profile: extended });
  } finally {
    clean.remove();
  }
}
