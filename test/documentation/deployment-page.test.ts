import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Block {
  readonly title: string;
  readonly machine: string;
  readonly commands: string;
}
interface Page {
  readonly blocksOf: (text: string) => Block[];
  readonly deploymentBlocks: (blocks?: Block[]) => Record<"steps" | "firstMachine" | "secondMachine", Block[]>;
}
interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly includes?: { readonly caps: readonly string[] };
}
interface Profiles {
  readonly withAdditions: (profile: { syscalls: Rule[] }, additions: Rule) => { syscalls: Rule[] };
}

let page: Page;
let profiles: Profiles;
let folder: string;
beforeAll(async () => {
  page = (await import(join(ROOT, "scripts/deployment/page.mjs"))) as Page;
  profiles = (await import(join(ROOT, "deploy/container/seccomp.mjs"))) as Profiles;
  folder = mkdtempSync(join(tmpdir(), "parley-deployment-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("the page of deployment has ten steps with commands, and commands of both machines", () => {
  const { steps, firstMachine, secondMachine } = page.deploymentBlocks();
  expect(new Set(steps.map(({ title }) => title)).size).toBe(10);
  expect(firstMachine).toHaveLength(1);
  expect(secondMachine).toHaveLength(1);
});

test("a page with a missing step is refused, and so is a block without an end", () => {
  const text = read("docs/operators/README.md");
  expect(() => page.deploymentBlocks(page.blocksOf(text.replace("## 7. ", "## ")))).toThrow(
    /1, 2, 3, 4, 5, 6, 8, 9, 10/,
  );
  expect(() => page.blocksOf("## 1. A\n\n```sh\ntrue\n")).toThrow(/"1. A" does not end/);
});

test("blocks of other languages are not executed, and headings inside of a block are commands", () => {
  const blocks = page.blocksOf(
    "## 1. A\n```text\nscp x\n```\n```sh\n# comment\ntrue\n```\n### B\n```sh second\nid\n```",
  );
  expect(blocks).toEqual([
    { title: "1. A", language: "sh", machine: "first", commands: "# comment\ntrue" },
    { title: "B", language: "sh", machine: "second", commands: "id" },
  ]);
});

test("files that the page installs exist in deploy/", () => {
  const { steps, firstMachine, secondMachine } = page.deploymentBlocks();
  const commands = [...steps, ...firstMachine, ...secondMachine].map((block) => block.commands).join("\n");
  const files = [...commands.matchAll(/\$deploy\/([\w./-]+)/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(read(`deploy/${file}`)).not.toBe("");
});

test("calls of the addition are permitted in a profile that refuses them, and others stay as they were", () => {
  const mayTrace = { names: ["ptrace"], action: "SCMP_ACT_ALLOW" };
  const refuses = { names: ["mount", "bpf"], action: "SCMP_ACT_ERRNO" };
  const forAdmins = { names: ["mount"], action: "SCMP_ACT_ALLOW", includes: { caps: ["CAP_SYS_ADMIN"] } };
  const addition = { names: ["mount", "unshare"], action: "SCMP_ACT_ALLOW" };
  expect(profiles.withAdditions({ syscalls: [mayTrace, refuses, forAdmins] }, addition).syscalls).toEqual([
    mayTrace,
    { names: ["bpf"], action: "SCMP_ACT_ERRNO" },
    forAdmins,
    addition,
  ]);
});

test("seccomp.mjs prints the profile, and refuses a file that is not a profile with status 1", () => {
  const profile = join(folder, "default.json");
  const program = join(ROOT, "deploy/container/seccomp.mjs");
  const run = () => spawnSync(process.execPath, [program, profile], { encoding: "utf8" });
  writeFileSync(profile, JSON.stringify({ defaultAction: "SCMP_ACT_ERRNO", syscalls: [] }));
  const { names, action } = JSON.parse(read("deploy/container/seccomp-additions.json")) as Rule;
  expect(JSON.parse(run().stdout)).toEqual({ defaultAction: "SCMP_ACT_ERRNO", syscalls: [{ names, action }] });
  writeFileSync(profile, "{}");
  const { status, stdout, stderr } = run();
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/is not a seccomp profile.*Nothing was written/);
});
