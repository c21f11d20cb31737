/** Executes the steps of docs/operators/README.md on machines in namespaces. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { machineRoot } from "./debian-root.mjs";
import { bootMachine, privateNetworks } from "./machine.mjs";
import { deploymentBlocks } from "./page.mjs";
import { cleanUp, DeploymentFailure, report, requirePrograms, run, until } from "./tools.mjs";

const ADDRESSES = ["10.0.0.6/24", "10.0.0.7/24"];
/** Names that the page leaves to the DNS. */
const NAMES = ["127.0.0.1 chat.example.com apps.example.com"];
/** Files that the page copies by scp, from the first machine to the second. */
const COPIED = [
  "/etc/parley/parley.env",
  "/etc/ssl/parley/cert.pem",
  "/etc/haproxy/parley.pem",
  "/etc/haproxy/haproxy.cfg",
];

/** The file that a release gives to operators. @errors DeploymentFailure */
export function releasedPackage(folder) {
  const names = readdirSync(folder).filter((name) => /^parley-parley-.*\.tgz$/.test(name));
  if (names.length === 1) return join(folder, names[0]);
  throw new DeploymentFailure(`${folder} has ${names.length} files parley-parley-*.tgz. Next: npm run release`);
}

/** Starts a shell of a machine that keeps its variables from block to block, as the shell of a person does. */
function personsShell(machine, clean) {
  const { child, output } = machine.interactive();
  clean.add(() => child.kill("SIGKILL"));
  let count = 0;
  return async ({ title, commands }) => {
    const started = Date.now();
    const before = output().length;
    count += 1;
    const mark = `parley-check-${count}-done`;
    // Commands of the block must not read the next lines as their input.
    child.stdin.write(`. <(cat <<'${mark}'\n${commands}\n${mark}\n) </dev/null\necho ${mark}\n`);
    const seconds = 900;
    const since = () => output().slice(before);
    const ended = await until(
      title,
      async () => (since().includes(`${mark}\n`) ? "done" : child.exitCode === null ? undefined : "failed"),
      { seconds, details: since },
    );
    if (ended === "failed") throw new DeploymentFailure(`"${title}" failed:\n\n${commands}\n\n${since()}`);
    report(`✔ ${title}  ${Math.round((Date.now() - started) / 1000)} s`);
    return since().replace(`${mark}\n`, "");
  };
}

async function preparedMachine({ folder, network, uploads, file }, clean) {
  machineRoot(folder);
  copyFileSync(file, join(folder, "root", basename(file)));
  mkdirSync(join(folder, "srv/parley"), { recursive: true });
  if (uploads !== undefined) {
    run(["mount", "--bind", uploads, join(folder, "srv/parley")]);
    clean.add(() => run(["umount", "--lazy", join(folder, "srv/parley")]));
  }
  const machine = await bootMachine({ folder, network, hosts: NAMES }, clean);
  return { machine, execute: personsShell(machine, clean) };
}

/** Promises of the page beyond the success of its commands. */
async function checkFirstMachine(machine) {
  const mode = await machine.succeed("stat --format '%U %a' /etc/parley/parley.env /var/lib/parley");
  if (mode.trim() !== "root 600\nparley 700") throw new DeploymentFailure(`Wrong owners or modes: ${mode}`);
  const security = await machine.succeed("systemd-analyze security parley | tail --lines=1");
  report(`  ${security.trim().replace(/^→ /, "")}`);
  // The same unit with another command, which reports the isolation under its restrictions.
  await machine.succeed(
    "sed 's|^ExecStart=.*|ExecStart=/usr/local/bin/parley doctor|; s|^Type=.*|Type=oneshot|; s|^Restart=.*||' " +
      "/etc/systemd/system/parley.service > /etc/systemd/system/parley-doctor.service; systemctl daemon-reload; systemctl start parley-doctor",
  );
  const findings = await machine.succeed("journalctl --unit parley-doctor --no-pager --output cat");
  const [line = ""] = /^.*App process.*$/m.exec(findings) ?? [];
  if (!line.includes("namespaces of bubblewrap"))
    throw new DeploymentFailure(`The unit's restrictions leave no complete isolation of apps:\n${findings}`);
  report(`  under the unit's restrictions: ${line.trim()}`);
}

/** Stops Parley while requests are sent. -> the time of the stop in seconds, the number of requests and of those that failed */
async function stopUnderRequests(machine) {
  const output = await machine.succeed(`
started=$(date +%s)
systemctl stop parley & stopping=$!
sent=0 failed=0
while kill -0 $stopping 2>/dev/null; do
  sent=$((sent + 1))
  curl --silent --fail --max-time 10 --cacert /etc/ssl/parley/cert.pem --output /dev/null https://chat.example.com/live || failed=$((failed + 1))
done
wait $stopping
echo "$(($(date +%s) - started)) $sent $failed"`);
  const [seconds, sent, failed] = output.trim().split(" ").map(Number);
  return { seconds, sent, failed };
}

/** Log of Parley on a machine. */
async function journalOf(name, machine) {
  const journal = await machine
    .succeed(
      "systemctl status parley --no-pager --lines=0; journalctl --unit parley --no-pager --output cat --lines=60",
    )
    .catch((error) => error.message);
  return `\n\nParley on the ${name} machine:\n${journal}`;
}

/** Executes the ten steps, then with `second` those of the second machine. @errors DeploymentFailure with the output of the first command that fails */
export async function checkSteps({ packages, second = false }) {
  requirePrograms(["mmdebstrap", "slirp4netns", "ip", "nsenter"]);
  const file = releasedPackage(packages);
  const { steps, firstMachine, secondMachine } = deploymentBlocks();
  const clean = cleanUp();
  const base = mkdtempSync(join(tmpdir(), "parley-steps-"));
  clean.add(() => rmSync(base, { recursive: true, force: true }));
  const uploads = join(base, "uploads");
  mkdirSync(uploads);
  const machines = new Map();
  try {
    const networks = privateNetworks(ADDRESSES, clean);
    const first = await preparedMachine({ folder: join(base, "first"), network: networks[0], uploads, file }, clean);
    machines.set("first", first.machine);
    report("An empty Debian 13 runs.");
    for (const step of steps) {
      const output = await first.execute(step);
      if (step.title.startsWith("9.")) report(output.trim().replace(/^/gm, "    "));
    }
    await checkFirstMachine(first.machine);
    if (!second) return;
    for (const block of firstMachine) await first.execute({ ...block, title: `${block.title}: first machine` });
    const other = await preparedMachine({ folder: join(base, "second"), network: networks[1], uploads, file }, clean);
    machines.set("second", other.machine);
    for (const step of steps.filter(({ title }) => /^[123]\./.test(title))) await other.execute(step);
    for (const path of COPIED) {
      await other.machine.succeed(`install -d -m 0755 $(dirname ${path})`);
      run(["cp", "--preserve=mode", join(base, "first", path), join(base, "second", path)]);
    }
    for (const block of secondMachine) await other.execute({ ...block, title: `${block.title}: second machine` });
    const { seconds, sent, failed } = await stopUnderRequests(first.machine);
    report(`✔ Parley stops on the first machine in ${seconds} s: ${failed} of ${sent} requests to its proxy failed`);
    if (failed > 0) throw new DeploymentFailure("A stop of one machine must not interrupt requests.");
    const [answering] = steps.filter(({ title }) => title.startsWith("9."));
    const commands = answering.commands
      .split("\n")
      .filter((line) => /token create|parley-admin chat/.test(line))
      .join("\n");
    const reply = await other.execute({ title: "The second machine alone answers a customer", commands });
    report(reply.trim().replace(/^/gm, "    "));
  } catch (error) {
    for (const [name, machine] of machines) error.message += await journalOf(name, machine);
    throw error;
  } finally {
    clean.remove();
  }
}
