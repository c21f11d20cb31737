import { describe, expect, test } from "@jest/globals";
import { entriesOf, MANIFEST, packFolders } from "../support/pack-folder.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Packages with the target `field`: parameters are converted to types that other hosts accept. */

const apps = fileFixture(packFolders);

interface Declared {
  readonly regex?: Readonly<Record<string, string>>;
}

const ENGINES = { node: "20.19.0" };

const REQUESTS = (host: string) => ({
  "config/requests.json": { ask: { schema: { method: "GET", host, path: "/v2/groups" } } },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: { events: { onAppInstall: { handler: "install" } }, requests: { ask: {} } },
      chat_conversation: { events: { onMessageCreate: { handler: "hear" } } },
    },
    engines: ENGINES,
  },
});

const field = async (iparams: object, more: object = {}) => {
  const folder = await apps.write({
    "config/iparams.json": iparams,
    "config/assets/iparams.js": "function look(value) { return value ? undefined : 'empty'; }\n",
    ...more,
  });
  const { package: packed, findings } = await apps.pack(folder, "field");
  const text = packed && (await entriesOf(packed.zip)).get("./config/iparams.json")?.toString("utf8");
  return {
    made: packed,
    declared: JSON.parse(text ?? "{}") as Record<string, Declared>,
    codes: findings.map(({ code }) => code).filter((code) => code.startsWith("pack-")),
    load: async () => apps.load(await apps.unpack(packed?.zip ?? new Uint8Array())),
  };
};

const fits = ({ regex = {} }: Declared = {}, value: string): boolean =>
  Object.entries(regex)
    .filter(([name]) => !name.endsWith("-error"))
    .some(([, expression]) => new RegExp(expression).test(value));

const DOMAIN = {
  display_name: "Account",
  description: "Where you are.",
  type: "domain",
  type_attributes: { product: "freshchat" },
  events: [{ change: "look" }],
};

describe("a domain of the chat product in a package for the target field", () => {
  test("becomes a text parameter for whole hosts and keeps its callback", async () => {
    const { declared, codes, load } = await field({ domain: DOMAIN }, REQUESTS("<%= iparam.domain %>"));
    expect(declared["domain"]).toEqual({
      display_name: "Account",
      description:
        "Where you are. Write the whole host, such as acme.example.com: without https:// and without a path.",
      type: "text",
      events: [{ change: "look" }],
      regex: expect.objectContaining({ "host-error": expect.stringContaining("Write the whole host") }),
    });
    for (const host of ["acme.example.com", "A-1.b.io"]) expect(fits(declared["domain"], host)).toBe(true);
    for (const text of ["acme", "https://acme.example.com", "acme.example.com/x", "-a.example.com", "acme.1"])
      expect(fits(declared["domain"], text)).toBe(false);
    expect(codes).toEqual(["pack-field-domain"]);
    expect((await load()).findings.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("becomes a text parameter for the subdomain if the app appends the rest", async () => {
    const { declared } = await field({ domain: DOMAIN }, REQUESTS("<%= iparam.domain %>.example.com"));
    expect(fits(declared["domain"], "acme")).toBe(true);
    expect(fits(declared["domain"], "acme.example.com")).toBe(false);
  });

  test("of another product stays a domain, and sections are removed", async () => {
    const other = { ...DOMAIN, type_attributes: { product: "freshdesk" } };
    const { declared, codes } = await field({
      domain: { ...other, type_attributes: { ...other.type_attributes, section: "Account" } },
      note: { display_name: "Note", type: "text", type_attributes: { section: "Notes" } },
    });
    expect(declared).toEqual({ domain: other, note: { display_name: "Note", type: "text" } });
    expect(codes).toEqual([]);
  });
});

describe("regular expressions in a package for the target field", () => {
  const of = (more: object) => field({ code: { display_name: "Code", type: "text", ...more } });
  const TWO = { short: "^.{1,5}$", "short-error": "Too long.", odd: "[13579]$", "odd-error": "Not odd." };

  test("are combined into one that matches where all of them do", async () => {
    const { declared, codes } = await of({ regex: TWO });
    expect(declared["code"]?.regex).toMatchObject({ "all-error": "Too long. Not odd." });
    expect(["ab1", "1", ""].map((text) => fits(declared["code"], text))).toEqual([true, true, true]);
    expect(["ab2", "abcde1", "x"].map((text) => fits(declared["code"], text))).toEqual([false, false, false]);
    expect(codes).toEqual(["pack-field-regex"]);
  });
  test("of a required parameter reject an empty value", async () => {
    const { declared } = await of({ regex: TWO, required: true });
    expect(["ab1", ""].map((text) => fits(declared["code"], text))).toEqual([true, false]);
  });
  test("include the check of the type", async () => {
    const { declared } = await of({ type: "email", regex: { own: "acme", "own-error": "Not ours." } });
    const tried = ["a@acme.com", "a@b.com", "acme"];
    expect(tried.map((text) => fits(declared["code"], text))).toEqual([true, false, false]);
  });
  test("stay unchanged for a single one of a text parameter", async () => {
    const regex = { odd: TWO.odd, "odd-error": "Not odd." };
    const { declared, codes } = await of({ regex });
    expect([declared["code"]?.regex, codes]).toEqual([regex, []]);
  });
  test("that can't be combined in JavaScript prevent packing", async () => {
    const regex = { a: "(?<n>x)", "a-error": "A.", b: "(?<n>y)", "b-error": "B." };
    const { made: packed, codes } = await of({ regex });
    expect([packed, codes]).toEqual([undefined, ["pack-field-regex-broken"]]);
  });
});

test.each([
  ["dropdown", ["One", "Two"], "One", ["pack-field-default"]],
  ["radio", ["One", "Two"], "One", ["pack-field-default"]],
  ["multiselect", ["One"], [], ["pack-field-default"]],
])("a %s of %j without a default gets the default %j", async (type, options, expected, found) => {
  const { declared, codes } = await field({ a: { display_name: "A", type, options } });
  expect(declared["a"]).toEqual({ display_name: "A", type, options, default_value: expected });
  expect(codes).toEqual(found);
});

test("files that other hosts accept stay unchanged, and a package for the default target changes nothing", async () => {
  const files = { "config/iparams.json": '{ "a": {"display_name":"A",  "type": "text"} }\n' };
  const [one, other] = [await apps.packValid(files), await apps.packValid(files, "field")];
  expect(other.sha256).toBe(one.sha256);
  const fixture = await apps.packValid({ "config/iparams.json": { domain: { ...DOMAIN, events: [] } } });
  expect((await entriesOf(fixture.zip)).get("./config/iparams.json")?.toString("utf8")).toContain('"domain"');
});

describe("the manifest's whitelisted-domains", () => {
  const MODULES = {
    modules: {
      common: { events: { onAppInstall: { handler: "install" } } },
      chat_conversation: { events: { onMessageCreate: { handler: "hear" } } },
    },
  };
  const PRODUCT = {
    product: { freshchat: { events: { onAppInstall: { handler: "install" }, onMessageCreate: { handler: "hear" } } } },
  };
  const domains = ["https://api.example.com"];
  const packed = async (manifest: object, target: "field" | "parley") => {
    const folder = await apps.write({ "manifest.json": manifest });
    const { package: packed, findings } = await apps.pack(folder, target);
    const text = packed && (await entriesOf(packed.zip)).get("./manifest.json")?.toString("utf8");
    const codes = findings.map(({ code }) => code).filter((code) => code.startsWith("pack-"));
    return { manifest: JSON.parse(text ?? "{}") as object, codes };
  };

  test.each([
    ["3.0", MODULES, "field", undefined, ["pack-field-whitelist"]],
    ["2.3", PRODUCT, "field", undefined, ["pack-field-whitelist"]],
    ["2.2", PRODUCT, "field", domains, []],
    ["3.0", MODULES, "parley", domains, []],
  ] as const)("of %s, of %j, for %s, are %j", async (version, more, target, expected, found) => {
    const given = { "platform-version": version, "whitelisted-domains": domains, ...more, engines: ENGINES };
    const { manifest, codes } = await packed(given, target);
    expect(manifest).toEqual({ ...given, "whitelisted-domains": expected });
    expect(codes).toEqual(found);
  });
});

test("a manifest without engines causes a warning in a package for the target field only", async () => {
  const folder = await apps.write({ "manifest.json": { ...MANIFEST, engines: undefined } });
  const codes = async (target: "field" | "parley") => {
    const { package: packed, findings } = await apps.pack(folder, target);
    return [packed !== undefined, ...findings.map(({ code, file }) => `${code} ${file}`)];
  };
  expect(await codes("parley")).toEqual([true]);
  expect(await codes("field")).toEqual([true, "pack-field-engines manifest.json"]);
});

test("an app setting is declared by {} in a package for the target field", async () => {
  const folder = await apps.write({ "config/app_settings.json": { key: {}, region: { secure: false } } });
  const { package: packed, findings } = await apps.pack(folder, "field");
  const text = packed && (await entriesOf(packed.zip)).get("./config/app_settings.json")?.toString("utf8");
  expect(JSON.parse(text ?? "")).toEqual({ key: {}, region: {} });
  expect(findings.map(({ code }) => code)).toEqual(["pack-field-setting"]);
});

test("a file of app/ that other hosts find too large causes a warning in a package for the target field", async () => {
  const folder = await apps.write({ "app/bundle.js": `/*${"x".repeat(2 * 1024 * 1024)}*/` });
  expect((await apps.pack(folder)).findings.map(({ code }) => code)).toEqual([]);
  const { package: packed, findings } = await apps.pack(folder, "field");
  expect(packed).toBeDefined();
  expect(findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "pack-field-size File 'app/bundle.js' of app/ has 2,097,156 bytes: other app hosts accept at most 2,097,152 bytes",
  ]);
});
