import { execFile, spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, openEngine } from "../../../../test/engines/drivers.ts";
import { describeBrowsers } from "../../../../test/engines/installed-engines.mjs";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { converse, customerOf, type Customer } from "../support/customer.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** A site with the app router of Next and its `next/script`, built and started as such sites are. */

let s: SitesFixture;
let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  s = await sitesFixture({ aliases: ["12/345"] });
  await s.install("next");
  const folder = join(s.folder, "next");
  const next = join(folder, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NEXT_PUBLIC_HOST: s.host, NODE_OPTIONS: "" };
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: folder, env });
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = spawn(process.execPath, [next, "start", "--port", `${port}`, "--hostname", "127.0.0.1"], {
    cwd: folder,
    env,
    stdio: "ignore",
  });
  await waitUntil(() =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}, 180_000);
afterAll(async () => {
  server?.kill();
  await s?.close();
});

for (const engine of describeBrowsers()) {
  if ("missing" in engine) continue;
  describe(`${engine.name} ${engine.version}`, () => {
    let customer: Customer;
    beforeAll(async () => {
      customer = customerOf(await openEngine(engine, { thirdParties: "kept" }));
    });
    afterAll(() => customer?.page.close());

    test("a customer writes, is answered, and keeps the open messenger on the next page", async () => {
      await customer.page.open(origin);
      await customer.open();
      const text = `Hello from Next in ${engine.name}`;
      await converse(customer, s.client, text);
      await customer.follow();
      expect(await customer.page.evaluate("fcWidget.isOpen()")).toBe(true);
      await customer.see(`Answer to: ${text}`);
      await customer.expectOne();
      expect(await customer.page.takeErrors()).toEqual([]);
    });
  });
}
