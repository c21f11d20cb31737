import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { parley, ROOT, temporaryFolder } from "../../../test/parley-process.ts";
import { sampleRows } from "../../../test/campaign.ts";

/** Each template of `parley init` validates, packs, and passes its own tests on a real service. */

jest.setTimeout(120_000);

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  temporary = await temporaryFolder("parley-templates-");
});
afterAll(() => temporary.remove());

const listed = await parley(["init", "--list", "--json"]);
const { templates } = JSON.parse(listed.stdout) as { templates: { name: string; description: string }[] };

test("parley init --list prints each template with its purpose and creates nothing", async () => {
  const { status, stdout } = await parley(["init", "--list"], { cwd: temporary.folder });
  expect(status).toBe(0);
  expect(stdout.trim().split("\n")).toEqual(
    templates.map(({ name, description }) => `${name.padEnd(10)}  ${description}`),
  );
  expect(templates.map(({ name }) => name)).toEqual(["greeter", "page", "events", "oauth", "parameters"]);
});

test("parley init prints the folder quoted for a shell", async () => {
  const { stdout } = await parley(["init", "it's mine", "--name", "mine"], { cwd: temporary.folder });
  const line = stdout.split("\n").find((each) => each.startsWith("  cd ")) ?? "";
  const shell = spawnSync("sh", ["-c", `${line} && pwd`], { cwd: temporary.folder, encoding: "utf8" });
  expect(shell.stdout.trim()).toMatch(/\/it's mine$/);
});

describe.each(templates)("the template $name of parley init", ({ name, description }) => {
  const folder = () => join(temporary.folder, name);
  beforeAll(async () => {
    const { status, stderr } = await parley(["init", name, "--template", name], { cwd: temporary.folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("validates without findings, compiles and packs", async () => {
    const validated = await parley(["validate", "--json", folder()]);
    expect(JSON.parse(validated.stdout)).toEqual({ findings: [] });
    const tsc = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript-native/bin/tsc"), "--noEmit"], {
      cwd: folder(),
      encoding: "utf8",
    });
    expect({ status: tsc.status, stdout: tsc.stdout }).toEqual({ status: 0, stdout: "" });
    const packed = await parley(["pack"], { cwd: folder() });
    expect(packed.stdout).toContain(`Packed dist/${name}.zip`);
    expect(description).toMatch(/^[A-Z].*\.$/);
  });
});

test.each(sampleRows(templates, 2))(
  "the template $name of parley init is installed on a local service by its own tests",
  async ({ name }) => {
    const { status, stdout, stderr } = await parley(["test", "--json", join(temporary.folder, name)]);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ tests: { failed: 0 } });
  },
);
