import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../test/console/support/harness.ts";
import { openEngine } from "../../../../test/engines/drivers.ts";
import { describeBrowsers } from "../../../../test/engines/installed-engines.mjs";
import { converse, customerOf, type Customer } from "../support/customer.ts";
import { htmlPage, type Site, type SiteFile } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** Sites of several kinds, with frameworks of npm, in each engine that is installed. */

const TOKEN = "5d0f6a1e-1d1b-4f0e-8a57-2f7d4f3b8c13";
const POLICY = (host: string) =>
  `default-src 'none'; script-src 'nonce-n1'; connect-src ${host}; frame-src ${host}; img-src data:`;

let s: SitesFixture;
const bundles: Record<string, string> = {};
const sites: Record<string, Site> = {};

/** A page of a site with its heading and the link to the next page. */
const pages = (body: string, head = ""): Readonly<Record<string, SiteFile>> => ({
  "/": htmlPage(`<h1>First page</h1><a href="/next">Next</a>${body}`, head),
  "/next": htmlPage(`<h1>Next page</h1><a href="/">Back</a>${body}`, head),
});
/** A page whose content is made by its script. */
const application = (bundle: string, before: string, options = {}): Readonly<Record<string, SiteFile>> => {
  const site = { token: TOKEN, host: s.host, ...options };
  const page = htmlPage(
    `<div id="root"></div>${before}<script>window.site = ${JSON.stringify(site)}</script><script src="/site.js"></script>`,
  );
  return { "/": page, "/next": page, "/site.js": ["text/javascript", bundles[bundle] ?? ""] };
};
const script = (attributes = "") => `<script src="${s.host}/js/widget.js" ${attributes}></script>`;
const numberedScript = (attributes = "") => `<script src="${s.host}/12/345.js" chat="true" ${attributes}></script>`;

interface SiteKind {
  readonly name: string;
  /** Navigation neither loads the document nor the panel again. */
  readonly isKept: boolean;
  readonly files: () => Readonly<Record<string, SiteFile>>;
  readonly headers?: () => Record<string, string>;
}

const SITES: readonly SiteKind[] = [
  {
    name: "a plain page with the script and init at the end of the body",
    isKept: false,
    files: () => pages(`${script()}<script>fcWidget.init({ token: "${TOKEN}" })</script>`),
  },
  {
    name: "a plain page with the script in its head",
    isKept: false,
    files: () => pages("", `${script()}<script>fcWidget.init({ token: "${TOKEN}" })</script>`),
  },
  {
    name: "a page that inserts the script when it is loaded",
    isKept: false,
    files: () =>
      pages(
        `<script>addEventListener("load", () => document.body.append(Object.assign(document.createElement("script"), {
          src: "${s.host}/js/widget.js", onload: () => fcWidget.init({ token: "${TOKEN}" }) })))</script>`,
      ),
  },
  {
    name: "a strict content policy with a nonce and the first form of the script",
    isKept: false,
    files: () => pages(`${script('nonce="n1"')}<script nonce="n1">fcWidget.init({ token: "${TOKEN}" })</script>`),
    headers: () => ({ "content-security-policy": POLICY(s.host) }),
  },
  {
    name: "a strict content policy with a nonce and the second form of the script",
    isKept: false,
    files: () => pages("", numberedScript('nonce="n1" async')),
    headers: () => ({ "content-security-policy": POLICY(s.host) }),
  },
  {
    name: "Turbo 8, whose visits run the script in the body again",
    isKept: true,
    files: () => ({
      ...pages(numberedScript(), `<script src="/turbo.js" defer></script>`),
      "/turbo.js": ["text/javascript", bundles["turbo.js"] ?? ""],
    }),
  },
  {
    name: "Turbolinks 5, whose visits run the script in the body again",
    isKept: true,
    files: () => ({
      ...pages(numberedScript(), `<script src="/turbolinks.js" defer></script>`),
      "/turbolinks.js": ["text/javascript", bundles["turbolinks.js"] ?? ""],
    }),
  },
  {
    name: "React 18 in StrictMode, with the script in the page",
    isKept: true,
    files: () => application("react-18", script()),
  },
  {
    name: "React 19 in StrictMode, which inserts and removes the script twice",
    isKept: true,
    files: () => application("react-19", "", { script: `${s.host}/js/widget.js` }),
  },
  { name: "Vue 3 with its router", isKept: true, files: () => application("vue-3", script()) },
];

beforeAll(async () => {
  const install = async (name: string) => [name, await s.install(name)] as const;
  s = await sitesFixture({ aliases: [TOKEN, "12/345"] });
  const built = Object.fromEntries(await Promise.all(["react-18", "react-19", "vue-3", "turbo"].map(install)));
  // StrictMode mounts twice in development only. Both versions have the same site.
  bundles["react-18"] = await built["react-18"]!("../react-19/site.jsx", { mode: "development" });
  bundles["react-19"] = await built["react-19"]!("site.jsx", { mode: "development" });
  bundles["vue-3"] = await built["vue-3"]!("site.js");
  for (const entry of ["turbo.js", "turbolinks.js"]) bundles[entry] = await built["turbo"]!(entry);
  for (const { name, files, headers } of SITES) sites[name] = await s.serve(files(), headers && { headers: headers() });
}, 120_000);
afterAll(() => s?.close());

for (const engine of describeBrowsers()) {
  if ("missing" in engine) continue;
  describe(`${engine.name} ${engine.version}`, () => {
    let customer: Customer;
    beforeAll(async () => {
      customer = customerOf(await openEngine(engine, { thirdParties: "kept" }));
    });
    afterAll(() => customer?.page.close());

    test.each(SITES)(
      "$name: a customer writes, is answered, and has one messenger on the next page",
      async ({ name, isKept }) => {
        await customer.page.open(sites[name]!.origin);
        await customer.open();
        const text = `Hello from ${name} in ${engine.name}`;
        await converse(customer, s.client, text);
        await customer.follow();
        if (isKept) expect(await customer.page.evaluate("fcWidget.isOpen()")).toBe(true);
        else {
          await customer.open();
          await customer.openConversation();
        }
        await customer.see(`Answer to: ${text}`);
        await customer.expectOne();
        expect(await customer.page.takeErrors()).toEqual([]);
        await customer.signOut();
      },
    );

    test("a page whose script is blocked lives on without the messenger", async () => {
      const isGuarded = `window.fcWidget?.init({ token: "${TOKEN}" }); document.querySelector("a").textContent = "Go on"`;
      const files = pages(`${script()}<script nonce="n1">${isGuarded}</script>`);
      const site = await s.serve(files, { headers: { "content-security-policy": POLICY(s.host) } });
      await customer.page.open(site.origin);
      await eventually(async () =>
        expect(await customer.page.evaluate(`[document.querySelector("a").textContent, typeof fcWidget]`)).toEqual([
          "Go on",
          "undefined",
        ]),
      );
      const errors = await customer.page.takeErrors();
      expect(errors.filter((each) => !/content.security.policy|refused to load|blocked/i.test(each))).toEqual([]);
    });
  });
}
