import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig, RequestTemplates } from "@parley/contract";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { domainForms } from "../../src/model/iparams/domain-form.ts";
import { fixtureFolder, formOn, installFixture, STORED, SUFFIX, type InstallFixture } from "./install-fixture.ts";

/**
 * The value of a domain parameter is the account's full host name, or the subdomain only if the app appends the rest:
 *
 * | reader of the value | test |
 * |---|---|
 * | choice of the form for an app | an app means |
 * | callbacks, `utils.get`, `client.iparams`, templates by `iparam` and by `context` | the page |
 * | the store, `args.iparams` of a handler | the page |
 * | values from a file, in both forms | values that are given at once |
 * | after an edit of the app | an edited app |
 */
describe("an app uses a domain parameter", () => {
  const domain = (product: string): Iparam => ({ display_name: "D", type: "domain", type_attributes: { product } });
  const iparams: IparamsConfig = {
    k: domain("freshdesk"),
    mine: domain("chat"),
    text: { display_name: "T", type: "text" },
  };
  const requests = (host: string): RequestTemplates => ({ r: { schema: { method: "GET", host } } });
  const labels = (app: { requests?: RequestTemplates; whitelistedDomains?: string[] }) =>
    [...domainForms({ iparams, requests: {}, ...app })].flatMap(([key, { isLabel }]) => (isLabel ? [key] : []));

  test.each([
    ["https://<%= iparam.k %>.freshdesk.com", ["k"]],
    ["<%=iparam.k%>.freshdesk.com", ["k"]],
    ["https://<%= context.k %>.freshdesk.com/api", ["k"]],
    ["https://<%= iparam.mine %>.example.com", ["k", "mine"]],
    ['https://<%= iparam.k + ".freshdesk.com" %>', ["k"]],
    ["https://<%= iparam.k %>.<%= iparam.mine %>", ["k"]],
    ["https://api.<%= iparam.k %>.example.com", ["k"]],
    ["https://<%= iparam.k %>.*", ["k"]],
    ["https://<%= iparam.k %>", []],
    ["https://<%= iparam.k %>.", []],
    ["https://<%= iparam.k %>:8443", []],
    ["https://<%= iparam.k %>/a.b", []],
    ["https://api-<%= iparam.k %>", []],
    ["https://<%= iparam.text %>.freshdesk.com", ["k"]],
    ["https://<%= iparam.k .freshdesk.com", ["k"]],
    ["https://*.freshdesk.com", ["k"]],
  ])("by %s, as the subdomain alone: %j", (text, expected) => {
    expect(labels({ whitelistedDomains: [text] })).toEqual(expected);
    expect(labels({ requests: requests(text) })).toEqual(expected);
  });
});

let fixture: InstallFixture;
let folder: string;
let outside: Server;

beforeAll(async () => {
  outside = createServer((request, answer) =>
    answer.writeHead(200, { "content-type": "text/plain" }).end(`${request.headers.host}${request.url}`),
  );
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "parley-domains-"));
  await cp(fixtureFolder("install-domains"), folder, { recursive: true });
  const hosts = ["*.freshdesk.com", "*.freshsales.io", "*.freshteam.com"];
  fixture = await installFixture(folder, { maps: new Map(hosts.map((host) => [host, origin])) });
});
afterAll(async () => {
  await fixture.close();
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const VALUES = { domain: `acme${SUFFIX}`, desk: "ours", crm: "deals", team: "people.freshteam.com" };
const LINE = Object.values(VALUES).join(" ");

test("the page passes on, stores and shows each domain in the form that the app uses", async () => {
  const visit = await fixture.visit();
  const { page } = visit;
  const form = formOn(page);
  const type = async (key: string, text: string) => {
    await page.fill(`[id=${key}]`, text);
    await form.leave();
    await form.waitForCheck(key);
  };
  const seen = async () => (await page.inputValue("[id=seen]")).split("\n");
  await type("domain", "acme");
  await type("crm", "https://deals.freshsales.io/a");
  await type("team", "people");
  await type("desk", "Ours.freshdesk.com");
  expect(await page.inputValue("[id=desk]")).toBe("ours");
  expect(await page.inputValue("[id=team]")).toBe("people");
  expect(await seen()).toEqual([
    "ours",
    LINE,
    "ours.freshdesk.com/tickets deals.freshsales.io/deals people.freshteam.com/groups",
    "",
    "",
  ]);
  await form.save();
  await form.notice().getByText(STORED).waitFor();
  const installation = await fixture.host.installation();
  expect(installation).toMatchObject({ account: "acme", domain: `acme${SUFFIX}`, values: VALUES });
  expect(fixture.lines.join("\n")).toContain(`installed with ${LINE}`);

  await page.reload();
  expect(await page.inputValue("[id=desk]")).toBe("ours");
  await type("desk", "theirs");
  expect((await seen()).slice(3)).toEqual(["ours", "people.freshteam.com"]);
  expect(visit.errors).toEqual([]);
  await visit.leave();
});

test.each([
  ["names", { domain: "acme", desk: "ours", crm: "deals", team: "people" }],
  [
    "hosts",
    { domain: `acme${SUFFIX}`, desk: "ours.freshdesk.com", crm: "deals.freshsales.io", team: "people.freshteam.com" },
  ],
  [
    "addresses",
    {
      domain: `https://acme${SUFFIX}/`,
      desk: "https://Ours.freshdesk.com/a",
      crm: "DEALS",
      team: "https://people.freshteam.com",
    },
  ],
])("values from a file may be %s", async (_, values) => {
  expect(await fixture.host.install(values)).toMatchObject({ ok: true });
  expect((await fixture.host.installation())?.values).toMatchObject(VALUES);
});

test("an app that is installed with defaults gets no value for another product's domain", async () => {
  await fixture.host.uninstall();
  expect(await fixture.host.installOnOwn({ desk: "ours" })).toMatchObject({ ok: true });
  expect((await fixture.host.installation())?.values).toMatchObject({
    domain: `acme${SUFFIX}`,
    desk: "ours",
    crm: "",
    team: "",
  });
});

test("an edited app receives stored domains in the form that it now uses", async () => {
  await fixture.host.install(VALUES);
  const path = join(folder, "config/requests.json");
  const before = await readFile(path, "utf8");
  const storedValue = async () => (await fixture.host.installation())?.values["desk"];
  await writeFile(path, before.replace("%>.freshdesk.com", "%>"));
  await waitUntil(async () => (await storedValue()) === "ours.freshdesk.com");
  await writeFile(path, before);
  await waitUntil(async () => (await storedValue()) === "ours");
});
