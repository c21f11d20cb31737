import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketClient } from "../../../src/base/objects/bucket-client.ts";
import type { BucketPlace } from "../../../src/base/objects/bucket-settings.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import type { BucketServer } from "./bucket-fixture.ts";

/** What a machine needs for tests on OpenStack Swift, a real S3-compatible storage. */
export const SWIFT_PACKAGES = "swift-proxy swift-account swift-container swift-object memcached";

const PROGRAMS = ["swift-proxy-server", "swift-account-server", "swift-ring-builder", "memcached"];

/** Whether the programs are installed, and may be started by this user. */
export const hasSwift = (): boolean =>
  PROGRAMS.every((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0) && process.getuid?.() === 0;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

/** @units milliseconds */
const START_MAX_MS = 300_000;

const SERVICES = ["account", "container", "object"] as const;
const [USER, SECRET] = ["tester", "testing"];

const serviceConfig = (name: string, port: number, folder: string) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
swift_dir = ${folder}
workers = 0
user = root
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;

/** Middleware of the proxy, in its order, with its settings. */
const filtersOf = (cachePort: number): readonly (readonly [name: string, settings: string])[] => [
  ["catch_errors", "use = egg:swift#catch_errors"],
  ["gatekeeper", "use = egg:swift#gatekeeper"],
  ["cache", `use = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${cachePort}`],
  ["listing_formats", "use = egg:swift#listing_formats"],
  ["bulk", "use = egg:swift#bulk"],
  ["s3api", "use = egg:swift#s3api"],
  ["tempauth", `use = egg:swift#tempauth\nuser_test_${USER} = ${SECRET} .admin`],
  ["container_quotas", "use = egg:swift#container_quotas"],
  ["slo", "use = egg:swift#slo"],
  ["dlo", "use = egg:swift#dlo"],
];

const proxyConfig = (port: number, cachePort: number, folder: string): string => {
  const filters = filtersOf(cachePort);
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
workers = 0
user = root
[pipeline:main]
pipeline = ${filters.map(([name]) => name).join(" ")} proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
${filters.map(([name, settings]) => `[filter:${name}]\n${settings}\n`).join("")}`;
};

const run = (program: string, args: readonly string[]): void => {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8" });
  // 1: a warning, such as that of a ring with one device.
  if ((status ?? 2) > 1) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
};

/** Starts OpenStack Swift with its S3 interface on one device, a folder, with an empty bucket. */
export async function startSwift(): Promise<BucketServer> {
  const folder = await mkdtemp(join(tmpdir(), "parley-swift-"));
  const children: ChildProcess[] = [];
  const start = (program: string, args: readonly string[]) =>
    void children.push(spawn(program, args, { stdio: "ignore" }));
  // Of a test that is given up.
  const killAll = () => children.forEach((child) => child.kill("SIGKILL"));
  process.once("exit", killAll);
  await mkdir(join(folder, "devices/d1"), { recursive: true });
  const cachePort = await freePort();
  start("memcached", ["-u", "root", "-l", "127.0.0.1", "-p", String(cachePort), "-m", "32"]);
  for (const name of SERVICES) {
    const port = await freePort();
    const builder = join(folder, `${name}.builder`);
    run("swift-ring-builder", [builder, "create", "1", "1", "1"]);
    run("swift-ring-builder", [builder, "add", `r1z1-127.0.0.1:${port}/d1`, "1"]);
    run("swift-ring-builder", [builder, "rebalance"]);
    await writeFile(join(folder, `${name}.conf`), serviceConfig(name, port, folder));
    start(`swift-${name}-server`, [join(folder, `${name}.conf`)]);
  }
  const port = await freePort();
  await writeFile(join(folder, "proxy.conf"), proxyConfig(port, cachePort, folder));
  start("swift-proxy-server", [join(folder, "proxy.conf")]);
  const place: BucketPlace = {
    kind: "bucket",
    bucket: "parley",
    prefix: "unit/",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    keyId: `test:${USER}`,
    secret: SECRET,
    isPathStyle: true,
  };
  const close = async () => {
    const ends = children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, "exit"));
    process.off("exit", killAll);
    killAll();
    await Promise.all(ends);
    await rm(folder, { recursive: true, force: true });
  };
  // Until its servers listen, the bucket can't be made.
  const isMade = () =>
    bucketClient({ ...place, waits: { retryForMs: 0 } })
      .send({ method: "PUT", name: "" })
      .then(
        () => true,
        () => false,
      );
  await waitUntil(isMade, { details: () => "OpenStack Swift did not start", timeoutMs: START_MAX_MS }).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  return { place, close };
}

/** Limits the bytes in the bucket, with the storage's own interface. */
export async function setQuota({ endpoint, bucket, keyId, secret }: BucketPlace, bytes: number): Promise<void> {
  const signIn = await fetch(`${endpoint}/auth/v1.0`, { headers: { "x-auth-user": keyId, "x-auth-key": secret } });
  const address = signIn.headers.get("x-storage-url");
  const headers = {
    "x-auth-token": signIn.headers.get("x-auth-token") ?? "",
    "x-container-meta-quota-bytes": String(bytes),
  };
  const { ok } = await fetch(`${address}/${bucket}`, { method: "POST", headers });
  if (!ok) throw new Error("the quota could not be set");
}
