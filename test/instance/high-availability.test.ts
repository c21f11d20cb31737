import { readFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";

const RUN = fileURLToPath(new URL("../../crash/run.mjs", import.meta.url));
const CONFIGURATION = new URL("../../crash/patroni/configuration.mjs", import.meta.url).href;
const PAGE = new URL("../../docs/operators/high-availability.md", import.meta.url);

/** Values of the first machine in the documentation. */
const DOCUMENTED = {
  name: "node1",
  address: "10.0.0.11",
  address1: "10.0.0.11",
  address2: "10.0.0.12",
  address3: "10.0.0.13",
  network: "10.0.0.0/24",
  data: "/var/lib/postgresql/parley",
  binaries: "/usr/lib/postgresql/15/bin",
  sockets: "/var/run/postgresql",
  pgpass: "/var/lib/postgresql/pgpass",
  etcdData: "/var/lib/etcd/parley",
  synchronous: "quorum",
  password: "a-password-of-its-own",
};

describe("the configuration for operators", () => {
  test.each(["etcd.yml", "patroni.yml", "haproxy.cfg"])("shows %s as it is tested", async (file) => {
    const page = await readFile(PAGE, "utf8");
    const { renderConfiguration } = (await import(CONFIGURATION)) as {
      renderConfiguration: (file: string, values: Readonly<Record<string, string>>) => Promise<string>;
    };
    expect(page).toContain(`\n${await renderConfiguration(file, DOCUMENTED)}\`\`\`\n`);
  });
});

test("npm run crash -- --cluster without the programs that it needs names each of them and what to install", () => {
  const { status, stderr } = spawnSync(process.execPath, [RUN, "--cluster", "--rounds", "1"], {
    encoding: "utf8",
    env: { PATH: "/nowhere" },
  });
  expect(status).toBe(1);
  for (const name of ["apt-get install etcd-server", "apt-get install haproxy", "PATRONI_SOURCE"])
    expect(stderr).toContain(name);
});
