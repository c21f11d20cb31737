import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { MESSENGER_PATH } from "@parley/contract";
import { openEngine } from "../../../../test/engines/drivers.ts";
import { describeBrowsers } from "../../../../test/engines/installed-engines.mjs";
import { converse, customerOf, type Customer } from "../support/customer.ts";
import { htmlPage, type Site } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** Browsers that refuse cookies and storage to frames of other sites: the panel is such a frame. */

let s: SitesFixture;
let site: Site;
beforeAll(async () => {
  s = await sitesFixture();
  const script = `<script src="${s.host}/js/widget.js"></script><script>fcWidget.init({})</script>`;
  site = await s.serve({ "/": htmlPage(`<h1>Shop</h1>${script}`) });
});
afterAll(() => s?.close());

/** What a frame gets of its storage: a value, or the name of the refusal. */
const STORED = `(() => { try { return [...Object.keys(localStorage)].length; } catch (error) { return error.name; } })()`;

for (const engine of describeBrowsers()) {
  if ("missing" in engine) continue;
  describe(`${engine.name} ${engine.version}`, () => {
    let customer: Customer;
    beforeAll(async () => {
      customer = customerOf(await openEngine(engine, { thirdParties: "blocked" }));
    });
    afterAll(() => customer?.page.close());

    test("a customer writes and is answered", async () => {
      await customer.page.open(site.origin);
      await customer.open();
      await converse(customer, s.client, `Without storage in ${engine.name}`);
      // WebKit keeps the storage of each site apart in place of refusing it.
      if (engine.name !== "WebKitGTK")
        expect(await customer.page.evaluate(STORED, MESSENGER_PATH)).toBe("SecurityError");
      expect(await customer.page.takeErrors()).toEqual([]);
    });

    test("the next page shows the messenger again, without errors", async () => {
      await customer.page.open(site.origin);
      await customer.open();
      await customer.expectOne();
      expect(await customer.page.takeErrors()).toEqual([]);
    });
  });
}
