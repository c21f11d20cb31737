import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../test/support/campaign.ts";
import { ROOT, run } from "../../../test/support/parley-process.ts";
import { callParley } from "./command-call.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-validate-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = async (files: Record<string, unknown>) => {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
};

const GOOD = {
  "manifest.json": {
    "platform-version": "2.2",
    product: { freshchat: { events: { onMessageCreate: { handler: "hear" } } } },
    dependencies: { cutter: "1.0.0" },
  },
  "config/iparams.json": {},
  "server/server.js": "const cut = require('cutter');\nexports = {\n  hear: function () { cut(); lost(); }\n};\n",
};
const BAD = { "config/iparams.json": { api_key: { display_name: "Key", type: "key" } } };

/** Environment without database and registry: an offline check needs neither. */
const OFFLINE = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", npm_config_registry: "http://127.0.0.1:1" };
const withInput = (input: string, ...args: string[]) =>
  callParley(["validate", ...args], { input, env: { PARLEY_DATA: join(folder, "none"), ...OFFLINE } });
const validate = (...args: string[]) => withInput("", ...args);

describe("parley validate", () => {
  test("prints warnings, lint lines and errors, then their count, and exits with status 1", async () => {
    await write({ ...GOOD, ...BAD });
    const { status, stdout, stderr } = await validate(folder);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "⚠ manifest.json:13:5",
      "  Dependency 'cutter' is not installed: its use in the code was not checked",
      "  Run 'npx parley run', or 'npm install' in the app's folder.",
      "⚠ config/iparams.json:2:3",
      "  iparam 'api_key' appears to be a secure param but it isn't marked as secure.",
      '  Add "secure": true to keep its value encrypted and out of the page, the events',
      "  and the logs.",
      "",
      "server/server.js::3: 'lost' is not defined",
      "",
      "✖ config/iparams.json:4:5",
      "  Invalid type, key, found in the 'api_key' field.",
      "  The types are text, paragraph, dropdown, email, number, phone_number, date,",
      "  url, radio, checkbox, multiselect, domain, api_key.",
      "",
      "✖ 1 error, 3 warnings.",
      "",
    ]);
  });

  test("exits with status 0 if there are only warnings", async () => {
    await write(GOOD);
    const { status, stdout } = await validate(folder);
    expect(status).toBe(0);
    expect(stdout).toMatch(/⚠ 0 errors, 2 warnings\.\n$/);
  });

  test("--json prints one object with all findings and nothing else", async () => {
    await write({ ...GOOD, ...BAD });
    const { status, stdout, stderr } = await validate(folder, "--json");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
    expect(stdout.endsWith("\n") && !stdout.slice(0, -1).includes("\n")).toBe(true);
    const { findings, ...rest } = JSON.parse(stdout) as { findings: Record<string, unknown>[] };
    expect(rest).toEqual({});
    expect(findings.map(({ code }) => code)).toEqual([
      "dependency-absent",
      "iparams-not-secure",
      "iparams-type",
      "lint-undefined",
    ]);
    expect(findings[2]).toEqual({
      code: "iparams-type",
      level: "error",
      file: "config/iparams.json",
      line: 4,
      column: 5,
      message: "Invalid type, key, found in the 'api_key' field.",
      help: expect.stringContaining("paragraph"),
    });
  });

  test("a folder without manifest.json is rejected with a next step", async () => {
    const { status, stdout, stderr } = await validate(folder);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^parley: There is no manifest\.json in [^\n]*parley init[^\n]*\n$/);
    const json = await validate(folder, "--json");
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ findings: [{ code: "manifest-file", level: "error" }] });
  });

  describe("--fix", () => {
    const MISSPELT = `{
  "plan": {
    "display_name": "Plan",   "type": "dropdwn",
    "requird": true,
    "secure": "false",
    "options": ["1", 2, "1"]
  }
}
`;
    const FIXED = `{
  "plan": {
    "display_name": "Plan",   "type": "dropdown",
    "required": true,
    "secure": false,
    "options": ["1", "2"]
  }
}
`;
    const file = () => join(folder, "config/iparams.json");
    beforeEach(() => write({ ...GOOD, "config/iparams.json": MISSPELT }));

    campaignTest("shows a diff and writes nothing without confirmation", async () => {
      for (const input of ["n\n", "\n", ""]) {
        const { status, stdout } = await withInput(input, "--fix", folder);
        expect(status).toBe(1);
        expect(stdout).toContain('-    "requird": true,');
        expect(stdout).toContain('+    "required": true,');
        expect(stdout).toContain("Nothing was written.");
        expect(await readFile(file(), "utf8")).toBe(MISSPELT);
      }
    });

    campaignTest("writes the corrections after confirmation and leaves all other text unchanged", async () => {
      expect((await withInput("y\n", "--fix", folder)).stdout).toContain("Fixed config/iparams.json.");
      const { status } = await validate("--fix", "--yes", folder);
      expect(await readFile(file(), "utf8")).toBe(FIXED);
      expect(status).toBe(0);
    });

    campaignTest("each round of corrections is confirmed by a line of the input", async () => {
      expect((await withInput("y\ny\ny\n", "--fix", folder)).status).toBe(0);
      expect(await readFile(file(), "utf8")).toBe(FIXED);
    });

    campaignTest("does not choose between a misspelt attribute and its existing correct form", async () => {
      const both = { plan: { display_name: "Plan", type: "text", required: false, requird: true } };
      await write({ "config/iparams.json": both });
      const { status, stdout } = await validate("--fix", "--yes", folder);
      expect(status).toBe(1);
      expect(stdout).not.toContain("Fixed");
      expect(JSON.parse(await readFile(file(), "utf8"))).toEqual(both);
    });

    campaignTest("shows the changed lines with two lines of context in a file with thousands of options", async () => {
      const options = Array.from({ length: 4_000 }, (_, index) => `option ${index}`);
      const plan = { display_name: "Plan", type: "dropdown", requird: true, options: ["option 1", ...options] };
      await write({ "config/iparams.json": { plan } });
      const { stdout } = await validate("--fix", folder);
      const diff = stdout.slice(0, stdout.indexOf("Write these changes")).split("\n");
      expect(diff.filter((line) => /^[-+]/.test(line))).toEqual([
        "--- a/config/iparams.json",
        "+++ b/config/iparams.json",
        '-    "requird": true,',
        '+    "required": true,',
        '-      "option 1",',
      ]);
      expect(diff).toHaveLength(14);
    });

    test("is rejected together with --json", async () => {
      const { status, stderr } = await validate("--fix", "--json", folder);
      expect(status).toBe(1);
      expect(stderr).toContain("--fix");
    });
  });

  test("--help has examples", async () => {
    const { status, stdout } = await validate("--help");
    expect(status).toBe(0);
    expect(stdout).toContain("Examples:\n  npx parley validate");
  });

  campaignTest("npm run validate reports no findings for Concierge", async () => {
    const { status, stdout } = await run([process.execPath, "scripts/validate.mjs", "--json"], { cwd: ROOT });
    expect(JSON.parse(stdout)).toEqual({ findings: [] });
    expect(status).toBe(0);
  });
});
