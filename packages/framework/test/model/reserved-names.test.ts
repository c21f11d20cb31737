import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

/** Sends member names that reach a prototype through a careless copy to every route of the app host that takes JSON. */

const SERVER = `exports = {
  address: async function () { renderData(null, await generateTargetUrl()); },
  echo: function (args) {
    const { data, a } = args;
    renderData(null, { names: Object.keys(data ?? a ?? {}), isPlain: Object.getPrototypeOf(data ?? a ?? {}) === Object.prototype });
  },
  heard: function ({ data }) { console.log(JSON.stringify([Object.keys(data), {}.polluted === undefined, data.polluted === undefined])); },
  keep: async function ({ key, text }) {
    try {
      await $db.set(key, JSON.parse(text));
      renderData(null, { kept: JSON.stringify(await $db.get(key)) });
    } catch ({ status, message }) { renderData(null, { status, message }); }
  },
  change: async function ({ path, text }) {
    try {
      await $db.set("changed", { a: 1 });
      await $db.update("changed", "set", JSON.parse(text));
      renderData(null, { kept: JSON.stringify(await $db.get("changed")) });
    } catch ({ status, message }) { renderData(null, { status, message }); }
  },
};`;

let fixture: AppFixture;
let pageToken: string;
let frontToken: string;
beforeAll(async () => {
  fixture = await appFixture({
    server: SERVER,
    iparams: { note: { display_name: "Note", type: "text", default_value: "" } },
    common: {
      functions: { address: {}, echo: {}, keep: {}, change: {} },
      events: { onExternalEvent: { handler: "heard" } },
    },
  });
  await fixture.install();
  const tokenOf = async (path: string) =>
    /token&quot;:&quot;([^&]+)/.exec(await (await fetch(`${fixture.host.url}${path}`)).text())?.[1] ?? "";
  [pageToken, frontToken] = await Promise.all([tokenOf("/custom_configs"), tokenOf("/")]);
});
afterAll(() => fixture.close());

const post = async (path: string, body: string) => {
  const reply = await fetch(`${fixture.host.url}${path}`, {
    method: "POST",
    headers: {
      authorization: "Bearer the-author-of-the-app",
      "content-type": "application/json",
      origin: fixture.host.url,
      "x-page-token": path.startsWith("/front") ? frontToken : pageToken,
    },
    body,
  });
  const text = await reply.text();
  const { message } = JSON.parse(text) as { message?: unknown };
  return [reply.status, reply.ok ? text : message];
};

/** Each route with a valid body. `%` stands for an additional member of an object whose members the caller chooses. */
const BODIES: [string, string][] = [
  ["/custom_configs/check", '{"key":"note","value":"x"%}'],
  ["/custom_configs/request", '{"question":{"name":"x","options":{}},"values":{"note":"x"%}}'],
  ["/custom_configs/save", '{"values":{"note":"x"%},"attributes":{}}'],
  ["/custom_configs/consents", '{"subject":"api.example.com","isGiven":false%}'],
  ["/front/look", '{"place":null%}'],
  ["/front/call", '{"place":"x","question":{"of":"db.set","key":"k","value":{"a":1%}}}'],
  ["/front/send", '{"conversation":"x","text":"x"%}'],
  ["/front/change", '{"conversation":"x"%}'],
  ["/admin/consents", '{"subject":"api.example.com","isGiven":false%}'],
  ["/admin/events", '{"event":"onExternalEvent","payload":{"data":{"a":1%}}}'],
  ["/admin/functions", '{"name":"echo","args":{"a":{"b":1%}}}'],
  ["/admin/install", '{"values":{"note":"x"%}}'],
];

const PROTO = "The name __proto__ is reserved: choose another name.";

test.each(BODIES)("POST %s rejects a name that reaches a prototype and names it", async (path, body) => {
  for (const name of ["__proto__", "\\u005f_proto__"])
    expect(await post(path, body.replace("%", `,"${name}":{"polluted":true}`))).toEqual([400, PROTO]);
  const made = await post(path, body.replace("%", ',"constructor":{"prototype":{"polluted":true}}'));
  expect(made).toEqual([400, "The name constructor.prototype is reserved: choose another name."]);
});

test.each(BODIES)("POST %s accepts constructor and prototype as regular names", async (path, body) => {
  const answer = await post(path, body.replace("%", ',"constructor":1,"prototype":2'));
  const other = await post(path, body.replace("%", ',"somebody":1,"something":2'));
  const withNames = JSON.stringify(other).replaceAll("somebody", "constructor").replaceAll("something", "prototype");
  // Removes an invocation's id and times.
  const withoutTimes = (text: string) => text.replaceAll("\\", "").replace(/"(?:id|begun|ms)":("[^"]*"|[\d.]+),/g, "");
  expect(withoutTimes(JSON.stringify(answer))).toBe(withoutTimes(withNames));
});

test.each([
  ["empty", "", "The body is empty: send JSON."],
  ["truncated", '{"values":', "The body is not valid JSON: Unexpected end of JSON input"],
])("a request whose body is %s is rejected with the reason", async (_what, body, message) => {
  expect(await post("/admin/install", body)).toEqual([400, message]);
});

test("a value with 100,000 levels causes no server error", async () => {
  const deep = `${"[".repeat(100_000)}{"constructor":1}${"]".repeat(100_000)}`;
  expect((await post("/admin/install", `{"values":${deep}}`))[0]).toBe(400);
});

describe.each(["__proto__", "constructor", "prototype"])("the name %s", (name) => {
  test.each([
    ["function", "/admin/functions", `{"name":"${name}"}`, [404, `The manifest names no function ${name}.`]],
    ["event", "/admin/events", `{"event":"${name}"}`, [404, `The app has no handler for ${name}.`]],
    ["parameter", "/custom_configs/check", `{"key":"${name}","value":"x"}`, [200, "{}"]],
    [
      "template",
      "/custom_configs/request",
      `{"question":{"name":"${name}","options":{}},"values":{}}`,
      [200, `'${name}' is not defined`],
    ],
  ])("is the name of no %s", async (_kind, path, body, [status, words]) => {
    expect(await post(path, body)).toEqual([status, expect.stringContaining(String(words))]);
  });

  test("is a valid key of $db", async () => {
    expect((await fixture.call("keep", { key: name, text: '{"a":1}' })).output).toEqual({ kept: '{"a":1}' });
  });

  test("in a value of $db is rejected where it reaches a prototype, and stored as data elsewhere", async () => {
    const refusal = { status: 400, message: PROTO };
    const set = await fixture.call("keep", { key: "k", text: `{"a":{"${name}":{"b":true}}}` });
    const update = await fixture.call("change", { text: `{"${name}.b":true}` });
    expect([set.output, update.output]).toEqual(
      name === "__proto__"
        ? [refusal, refusal]
        : [{ kept: `{"a":{"${name}":{"b":true}}}` }, { kept: `{"a":1,"${name}":{"b":true}}` }],
    );
  });
});

test("the payload of another system reaches the handler unchanged and changes no prototype", async () => {
  const address = (await fixture.call("address")).output as string;
  const body = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const reply = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body });
  expect(reply.status).toBe(200);
  const { lines } = (await fixture.invocations("kind=external")).at(-1) ?? {};
  expect(lines).toEqual([{ level: "info", text: '[["__proto__","constructor"],true,true]' }]);
});
