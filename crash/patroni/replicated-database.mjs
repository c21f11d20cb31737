/** A replicated PostgreSQL: three nodes with etcd and Patroni, and the HAProxy of the clients. */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { signal } from "../processes.mjs";
import { renderConfiguration } from "./configuration.mjs";
import { addressOf, connectNode, createSwitch, NETWORK } from "./network.mjs";
import { createNode } from "./node.mjs";
import { findRequirements } from "./requirements.mjs";

const NODES = [1, 2, 3];
/** How long the cluster may take until all nodes are complete, also after a fault. @units milliseconds */
const COMPLETE_TIMEOUT_MS = 180_000;
const POLL_MS = 250;
/** States of a member that serves, or follows the primary. */
const HEALTHY_STATES = ["running", "streaming"];
/** Role and database of Parley. */
const PARLEY = "parley";

/** Ways in which Parley can find the primary, with the connection URL of each. */
export const DATABASE_ROUTES = {
  haproxy: (password) => `postgres://${PARLEY}:${password}@127.0.0.1:5432/${PARLEY}`,
  hosts: (password) =>
    `postgres://${PARLEY}:${password}@${NODES.map((number) => `${addressOf(number)}:5432`).join(",")}/${PARLEY}?target_session_attrs=read-write&connect_timeout=2`,
};

const poll = async (what, condition) => {
  for (const deadline = performance.now() + COMPLETE_TIMEOUT_MS; performance.now() < deadline; await elapse(POLL_MS)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`the cluster did not ${what} within ${COMPLETE_TIMEOUT_MS / 1_000} s`);
};

/**
 * Starts the cluster below `folder`; this process has namespaces of its own.
 * @errors Error that says what to install when a program is missing
 */
export const startReplicatedDatabase = async ({ folder, route }) => {
  const requirements = findRequirements();
  const password = randomBytes(16).toString("hex");
  const addresses = Object.fromEntries(NODES.map((number) => [`address${number}`, addressOf(number)]));
  // Quorum commit exists since Patroni 4; before, Patroni names one synchronous standby.
  const synchronous = requirements.patroni.version.startsWith("3.") ? "true" : "quorum";
  const values = { ...addresses, password, network: NETWORK, synchronous };
  await createSwitch();
  const nodes = [];
  for (const number of NODES) {
    const place = { name: `node${number}`, address: addressOf(number) };
    await connectNode(place);
    nodes.push(await createNode({ ...place, folder, requirements, values }));
  }
  const proxyFile = join(folder, "haproxy.cfg");
  await writeFile(proxyFile, await renderConfiguration("haproxy.cfg", values));
  let proxy;
  const proxyLog = openSync(join(folder, "haproxy.log"), "a");
  const startProxy = () => {
    proxy = spawn("haproxy", ["-f", proxyFile, "-db"], { stdio: ["ignore", proxyLog, proxyLog], detached: true });
  };

  /** Members of the cluster as any node reports them. */
  const members = async () => {
    const answers = await Promise.all(nodes.map((node) => node.ask("/cluster")));
    return answers.find((answer) => answer?.members?.some(({ role }) => role === "leader"))?.members ?? [];
  };
  const leaderIn = (list) => nodes.find(({ name }) => list.some((one) => one.name === name && one.role === "leader"));
  const isComplete = (list) => {
    const leader = list.find(({ role }) => role === "leader");
    const synchronousCount = list.filter(({ role }) => /sync|quorum/.test(role)).length;
    return (
      leader !== undefined &&
      list.length === NODES.length &&
      synchronousCount >= (synchronous === "quorum" ? 2 : 1) &&
      list.every(({ state, timeline }) => HEALTHY_STATES.includes(state) && timeline === leader.timeline)
    );
  };
  const untilComplete = () =>
    poll("become complete", async () => {
      const list = await members();
      return isComplete(list) ? list : undefined;
    });

  /** Makes a standby the primary, as an operator does before maintenance. */
  const switchover = async (random) => {
    const list = await members();
    const leader = leaderIn(list);
    const candidate = random.pick(nodes.filter((node) => node !== leader)).name;
    const answer = await fetch(`http://${leader.address}:8008/switchover`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ leader: leader.name, candidate }),
    });
    if (!answer.ok) throw new Error(`the switchover failed: ${answer.status} ${await answer.text()}`);
  };

  const psql = (node, database, sql) => {
    const url = `postgres://postgres:${password}@${node.address}:5432/${database}`;
    const { status, stderr, stdout } = spawnSync("psql", [url, "-XAtqc", sql], { encoding: "utf8" });
    if (status !== 0) throw new Error(`psql on ${node.name}: ${stderr}`);
    return stdout.trim();
  };

  const end = async () => {
    if (proxy) signal(proxy.pid, "SIGKILL");
    await Promise.all(nodes.map((node) => node.kill()));
  };

  try {
    await chmod(folder, 0o711);
    for (const node of nodes) node.start();
    const leader = leaderIn(await untilComplete());
    psql(leader, "postgres", `create role ${PARLEY} login password '${password}'`);
    psql(leader, "postgres", `create database ${PARLEY} owner ${PARLEY}`);
    startProxy();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url: DATABASE_ROUTES[route](password),
    nodes,
    version: `Patroni ${requirements.patroni.version}`,
    /** The node that holds the leader lock; waits until a node holds it. */
    leader: () => poll("elect a leader", async () => leaderIn(await members())),
    members,
    untilComplete,
    switchover,
    psql,
    proxyPid: () => proxy.pid,
    startProxy,
    end,
  };
};
