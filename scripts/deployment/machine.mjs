/** Machines for checks: a Debian whose systemd is process 1 of namespaces of its own, with its own network. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DeploymentFailure, run, start, until } from "./tools.mjs";

const BOOT_SCRIPT = fileURLToPath(new URL("boot.sh", import.meta.url));
/** Where this machine has the second version of control groups, alone or beside the first. */
const CONTROL_GROUPS = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].find((path) =>
  existsSync(join(path, "cgroup.procs")),
);
/** Address of the resolver that slirp4netns offers. */
export const RESOLVER = "10.0.2.3";

function removeGroup(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  rmdirSync(folder);
}

/** A network with the loopback interface. -> its name */
function emptyNetwork(clean) {
  networks += 1;
  const name = `parley-check-${process.pid}-${networks}`;
  run(["ip", "netns", "add", name]);
  clean.add(() => run(["ip", "netns", "delete", name]));
  run(["ip", "-n", name, "link", "set", "lo", "up"]);
  return name;
}
let networks = 0;

/** Connects a network with what this machine reaches, except this machine itself. */
function connectOutside(network, clean) {
  const { child } = start([
    ...["slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", "--netns-type=path"],
    ...[`/run/netns/${network}`, "tap0"],
  ]);
  clean.add(() => child.kill("SIGKILL"));
}

/** A network that is connected with the outside only. -> its name */
export function machineNetwork(clean) {
  const network = emptyNetwork(clean);
  connectOutside(network, clean);
  return network;
}

/** Two networks that are connected with the outside, and with each other. @shape addresses: with the length of the prefix -> their names */
export function privateNetworks(addresses, clean) {
  const names = addresses.map(() => machineNetwork(clean));
  const [first, second] = names;
  run(["ip", "link", "add", "lan0", "netns", first, "type", "veth", "peer", "name", "lan0", "netns", second]);
  addresses.forEach((address, index) => {
    run(["ip", "-n", names[index], "address", "add", address, "dev", "lan0"]);
    run(["ip", "-n", names[index], "link", "set", "lan0", "up"]);
  });
  return names;
}

/**
 * Starts a machine.
 * @shape folder: its root; network: name of its network namespace; hosts: lines of /etc/hosts
 */
export async function bootMachine({ folder, network, hosts }, clean) {
  if (CONTROL_GROUPS === undefined)
    throw new DeploymentFailure("This machine has no second version of control groups, which systemd needs.");
  writeFileSync(join(folder, "etc/resolv.conf"), `nameserver ${RESOLVER}\n`);
  writeFileSync(join(folder, "etc/hosts"), `127.0.0.1 localhost\n${hosts.join("\n")}\n`);
  writeFileSync(join(folder, "etc/hostname"), `${network}\n`);
  const group = join(CONTROL_GROUPS, network);
  mkdirSync(group);
  clean.add(() => removeGroup(group));
  const words = [
    ...["ip", "netns", "exec", network, "unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc"],
    ...["--cgroup", "--propagation", "private", "sh", BOOT_SCRIPT, folder],
  ];
  const init = start(["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', group, ...words]);
  const children = () => readFileSync(`/proc/${init.child.pid}/task/${init.child.pid}/children`, "utf8").trim();
  const pid = await until("The start of a machine", async () => children().split(" ")[0] || undefined, {
    seconds: 20,
    details: init.output,
  });
  clean.add(() => {
    process.kill(Number(pid), "SIGKILL");
    // The folder and the group can be removed when the last process has ended.
    for (let tries = 0; tries < 50 && readFileSync(join(group, "cgroup.procs"), "utf8") !== ""; tries += 1)
      run(["sleep", "0.1"]);
  });
  const inside = [
    "nsenter",
    "--target",
    pid,
    "--mount",
    "--uts",
    "--ipc",
    "--net",
    "--pid",
    "--cgroup",
    "--root",
    "--wd",
  ];
  const variables = Object.entries({
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    LANG: "C.UTF-8",
    DEBIAN_FRONTEND: "noninteractive",
  }).map(([name, value]) => `${name}=${value}`);
  const command = [...inside, "env", "-i", "-C", "/root", ...variables, "bash", "-eu", "-o", "pipefail"];
  /** Runs lines of a shell as root of the machine, in /root; the first that fails ends them. -> status and output */
  const shell = async (script) => {
    const started = start([...command, "-c", script]);
    const status = await started.ended;
    return { status, output: started.output() };
  };
  /** Starts a shell that reads its lines from standard input, and ends with the first that fails. */
  const interactive = () => start(command, { stdio: ["pipe", "pipe", "pipe"] });
  const succeed = async (script) => {
    const { status, output } = await shell(script);
    if (status !== 0) throw new DeploymentFailure(`This ended with status ${status}:\n\n${script}\n\n${output}`);
    return output;
  };
  const isUp = async () => {
    const { output } = await shell("systemctl is-system-running || true");
    return /^(running|degraded)/.test(output) ? true : undefined;
  };
  await until("systemd", isUp, { details: init.output });
  return { succeed, interactive };
}
