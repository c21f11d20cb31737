import { createHash } from "node:crypto";
import { cp, readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import type { IparamsConfig } from "@parley/contract";
import { entriesOf } from "../../framework/test/support/pack-folder.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";
import { callParley } from "./command-call.ts";

/** `parley pack` with Concierge as the app. */

interface Packed {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  temporary = await temporaryFolder("parley-pack-");
  await symlink(join(ROOT, "node_modules"), join(temporary.folder, "node_modules"));
});
afterAll(() => temporary.remove());

const pack = async (args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) => {
  // The language of a process can't be changed while it runs.
  const command = options.env ? parley : callParley;
  const { status, stdout, stderr } = await command(["pack", "--json", ...args], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trim().split("\n")).toHaveLength(1);
  return JSON.parse(stdout) as Packed;
};

/** Copies Concierge; its packages are resolved from the parent folder. */
async function concierge(name: string): Promise<string> {
  const folder = join(temporary.folder, name);
  for (const part of ["manifest.json", "package.json", "tsconfig.json", "README.md", "config", "server", "app"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  return folder;
}

test("parley pack --json prints file, bytes and sha256 of the package and leaves no other file", async () => {
  const result = await pack([ROOT, "--out", join(temporary.folder, "one", "app.zip")]);
  expect(Object.keys(result)).toEqual(["file", "bytes", "sha256"]);
  const bytes = await readFile(result.file);
  expect({ bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }).toEqual({
    bytes: result.bytes,
    sha256: result.sha256,
  });
  expect(await readdir(join(temporary.folder, "one"))).toEqual(["app.zip"]);
});

campaignTest(
  "parley pack writes identical bytes from another folder, time zone and language, by default to dist/<name>.zip",
  async () => {
    const folder = await concierge("elsewhere");
    const one = await pack([ROOT, "--out", `${temporary.folder}/`], { env: { TZ: "Pacific/Auckland", LC_ALL: "C" } });
    const other = await pack([], { cwd: folder, env: { TZ: "America/Los_Angeles", LC_ALL: "sv_SE.UTF-8" } });
    expect(one.file).toBe(join(temporary.folder, "concierge.zip"));
    expect(other.file).toBe(join(folder, "dist", "concierge.zip"));
    expect(other.sha256).toBe(one.sha256);
    const text = (await readFile(other.file)).toString("latin1");
    expect(text).not.toContain(temporary.folder);
  },
);

campaignTest("parley pack prints the included files, the size and the path", async () => {
  const folder = await concierge("shown");
  const { status, stdout, stderr } = await callParley(["pack"], { cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^ +[\d,]+ {2}server\/server\.js$/m);
  expect(stdout).toContain("Packed dist/concierge.zip: ");
  expect(stdout).toMatch(/sha256 [0-9a-f]{64}/);
});

campaignTest(
  "parley pack --target field writes a package below 500 kB whose parameters the field accepts",
  async () => {
    const result = await pack([ROOT, "--target", "field", "--out", join(temporary.folder, "field.zip")]);
    expect(result.bytes).toBeLessThan(500_000);
    const iparams = (await entriesOf(await readFile(result.file))).get("./config/iparams.json")?.toString("utf8");
    const declared = JSON.parse(iparams ?? "{}") as IparamsConfig;
    expect(declared["domain"]).toMatchObject({ type: "text", regex: { host: expect.any(String) } });
    expect(declared["domain"]).not.toHaveProperty("type_attributes");
    for (const iparam of Object.values(declared)) {
      expect(iparam.type).not.toBe("domain");
      if (["dropdown", "radio", "multiselect"].includes(iparam.type)) expect(iparam).toHaveProperty("default_value");
      const names = Object.keys(iparam.regex ?? {}).filter((name) => !name.endsWith("-error"));
      expect(names.length).toBeLessThan(2);
    }
  },
);

describe("parley pack", () => {
  const failing = async (args: readonly string[], cwd: string = temporary.folder) => {
    const { status, stdout, stderr } = await callParley(["pack", ...args], { cwd });
    expect(status).toBe(1);
    return { stdout, stderr };
  };
  test.each([
    ["a missing folder", ["nowhere"], "There is no folder"],
    ["a folder without an app", ["."], "parley init"],
  ])("rejects %s in one line", async (_title, args, words) => {
    const { stdout, stderr } = await failing(args);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    expect(stderr).toContain(words);
  });

  test("names an output path that can't be written", async () => {
    const { stderr } = await failing([ROOT, "--out", "/proc/none/app.zip"]);
    expect(stderr).toContain("/proc/none/app.zip can't be written");
  });

  test("prints the findings of an app with errors and writes no file", async () => {
    const folder = await concierge("broken");
    await cp(join(ROOT, "README.md"), join(folder, "config", "more.txt"));
    const { stdout, stderr } = await failing([], folder);
    expect(stdout).toContain("Config directory has invalid file(s)");
    expect(stderr).toContain("Nothing was packed");
    const json = await failing(["--json"], folder);
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout)).toMatchObject({ findings: [{ level: "error", file: "config/more.txt" }] });
    await expect(readdir(join(folder, "dist"))).rejects.toThrow("ENOENT");
  });
});
