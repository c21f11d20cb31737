import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { admin, identity, openapi, transfer } from "@parley/contract";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run, temporaryFolder } from "../support/parley-process.ts";

/**
 * The two usual linters of OpenAPI documents. They are installed for this test alone: together they have more than 240 packages, which every
 * installation of this repository would pay for. The rules that matter are held by `openapi.test.ts` of the contract.
 */
const LINTERS = ["@stoplight/spectral-cli@6.16.3", "@redocly/cli@2.77.0"];
const ENVIRONMENT = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

let folder: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ folder, remove } = await temporaryFolder("parley-linters-"));
  await writeFile(join(folder, "package.json"), "{}");
  await writeFile(join(folder, ".spectral.yaml"), "extends: ['spectral:oas']\n");
  await writeFile(join(folder, "redocly.yaml"), "extends: [recommended]\n");
  // Without their scripts after the installation, one of which reports it.
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, stderr } = await run(["npm", "install", ...flags, ...LINTERS], { cwd: folder });
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => remove());

interface RedoclyReport {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

test.each([
  ["the API", openapi()],
  ["the administration", openapi("/", { admin, transfer, ...identity }, "Parley admin")],
])("Spectral and Redocly find nothing in the document of %s", async (_name, document) => {
  await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
  const options = { cwd: folder, env: ENVIRONMENT };
  const spectral = await run(["npx", "spectral", "lint", "openapi.json", "--format", "json", "--quiet"], options);
  expect(JSON.parse(spectral.stdout)).toEqual([]);
  const redocly = await run(["npx", "redocly", "lint", "openapi.json", "--format", "json"], options);
  const { totals, problems } = JSON.parse(redocly.stdout) as RedoclyReport;
  expect([totals.errors, totals.warnings, problems]).toEqual([0, 0, []]);
});
