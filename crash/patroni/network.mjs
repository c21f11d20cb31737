/** Network of a cluster: each node has a network namespace, which one cable connects to a switch. The run itself is connected to the switch. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
const run = async (command) => {
  const [program, ...args] = command.split(" ");
  const { stdout } = await execute(program, args);
  return stdout;
};

const PREFIX = "10.77.0";
export const NETWORK = `${PREFIX}.0/24`;
const OWN_ADDRESS = `${PREFIX}.1`;
const SWITCH = "switch";

/** Address of a node by its number, from 1. */
export const addressOf = (number) => `${PREFIX}.${10 + number}`;
const portOf = (name) => `to-${name}`;

/** Creates the switch. */
export const createSwitch = async () => {
  await run(`ip link add ${SWITCH} type bridge`);
  await run(`ip address add ${OWN_ADDRESS}/24 dev ${SWITCH}`);
  await run(`ip link set ${SWITCH} up`);
};

/** Creates the namespace of a node, and connects it. */
export const connectNode = async ({ name, address }) => {
  await run(`ip netns add ${name}`);
  await run(`ip link add ${portOf(name)} type veth peer name eth0 netns ${name}`);
  await run(`ip link set ${portOf(name)} master ${SWITCH} up`);
  await run(`ip -n ${name} address add ${address}/24 dev eth0`);
  await run(`ip -n ${name} link set eth0 up`);
  await run(`ip -n ${name} link set lo up`);
};

/** Arguments of a program that runs in the namespace of a node. */
export const inside = (name, command) => ["ip", "netns", "exec", name, ...command];

/** Unplugs a node from the switch: packets vanish without an answer, as when a switch fails. */
export const unplug = (name) => run(`ip link set ${portOf(name)} nomaster`);
export const plugIn = (name) => run(`ip link set ${portOf(name)} master ${SWITCH}`);

/** Discards all packets between a node and other nodes, while it still reaches the clients. */
export const separate = async (name, addresses) => {
  await run(`ip netns exec ${name} nft add table inet crash`);
  for (const [chain, direction] of [
    ["input", "saddr"],
    ["output", "daddr"],
  ]) {
    await run(`ip netns exec ${name} nft add chain inet crash ${chain} { type filter hook ${chain} priority 0 ; }`);
    for (const address of addresses)
      await run(`ip netns exec ${name} nft add rule inet crash ${chain} ip ${direction} ${address} drop`);
  }
};
export const rejoin = (name) => run(`ip netns exec ${name} nft delete table inet crash`);

/** -> process ids of all programs of a node */
export const processesOf = async (name) => (await run(`ip netns pids ${name}`)).split("\n").filter(Boolean).map(Number);
