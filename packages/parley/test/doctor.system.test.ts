import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley doctor` on this machine and on simulated broken machines. */

interface Check {
  readonly name: string;
  readonly level: "ok" | "warn" | "fail";
  readonly message: string;
  readonly next?: string;
}

const temporary = fileFixture(() => temporaryFolder("parley-doctor-"));

const doctor = async (env: Record<string, string | undefined>) => {
  const { status, stdout, stderr } = await parley(["doctor", "--json"], {
    env: { PARLEY_DATA: join(temporary.folder, "data"), ...env },
  });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toHaveLength(1);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
  for (const { level, next } of checks) expect(next === undefined).toBe(level === "ok");
  return { status, checks, of: (name: string) => checks.find((check) => check.name === name) };
};

test("parley doctor on a working machine prints a line for each check and no failure", async () => {
  const { status, stdout } = await parley(["doctor"], { env: { PARLEY_DATA: join(temporary.folder, "data") } });
  expect(status).toBe(0);
  for (const name of ["Node", "PostgreSQL", "Data folder", "Disk", "Git", "Service port", "App process", "Clock"])
    expect(stdout).toMatch(new RegExp(`^[✔⚠] ${name} `, "m"));
});

test("parley doctor reports all failures at once, each with a next step and without secrets", async () => {
  await writeFile(join(temporary.folder, "file"), "");
  const { status, of } = await doctor({
    DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x",
    PARLEY_DATA: join(temporary.folder, "file", "data"),
    PATH: "/nowhere",
  });
  expect(status).toBe(1);
  expect(of("PostgreSQL")).toMatchObject({ level: "fail", message: expect.stringContaining("127.0.0.1:1") });
  expect(JSON.stringify(of("PostgreSQL"))).not.toContain("hidden");
  expect(of("Data folder")).toMatchObject({
    level: "fail",
    message: expect.stringContaining("is not a folder"),
  });
  expect(of("Node")).toMatchObject({ level: "ok" });
});

test("parley doctor names a setting that can't be read", async () => {
  const { status, of } = await doctor({ PARLEY_SERVICE_PORT: "many" });
  expect(status).toBe(1);
  expect(of("Settings")).toMatchObject({
    level: "fail",
    message: expect.stringContaining("PARLEY_SERVICE_PORT"),
  });
});

test("parley doctor warns of a port in use and names its variable", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const { status, of } = await doctor({ PARLEY_SERVICE_PORT: String(port) });
  server.close();
  expect(status).toBe(0);
  expect(of("Service port")).toMatchObject({
    level: "warn",
    message: `Port ${port} can't be opened (EADDRINUSE).`,
    next: expect.stringContaining("PARLEY_SERVICE_PORT"),
  });
});

test("parley doctor recognises the ports of parley serve, which has a platform and no app of a folder", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const data = join(temporary.folder, "served");
  await mkdir(data);
  const service = "http://127.0.0.1:10002/v2";
  const instance = {
    pid: process.pid,
    service,
    app: "",
    installPage: "",
    account: "",
    platform: `http://127.0.0.1:${port}`,
  };
  await writeFile(join(data, "instance.json"), JSON.stringify(instance));
  const { status, of } = await doctor({ PARLEY_DATA: data, PARLEY_APP_PORT: String(port) });
  server.close();
  expect(of("App port")).toEqual({
    name: "App port",
    level: "ok",
    message: `${port} is used by the instance that runs here.`,
  });
  expect(status).toBe(0);
});

test("parley doctor warns of a data folder in a repository that doesn't ignore it", async () => {
  const folder = join(temporary.folder, "repository");
  await mkdir(join(folder, "data"), { recursive: true });
  expect(spawnSync("git", ["init", "-q", folder]).status).toBe(0);
  const seen = await doctor({ PARLEY_DATA: join(folder, "data") });
  expect(seen.of("Git")).toMatchObject({ level: "warn" });
  await writeFile(join(folder, ".gitignore"), "data/\n");
  expect((await doctor({ PARLEY_DATA: join(folder, "data") })).of("Git")).toMatchObject({ level: "ok" });
});
