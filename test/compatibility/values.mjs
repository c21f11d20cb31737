/** Values that an admin would enter on an app's installation page, and the hosts that the app then calls. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Name of the other products' account to which every value belongs. */
export const ACCOUNT = "acme";
const OUTSIDE = "acme.example.com";

/** Products whose accounts have a subdomain, by the word in parameter names. */
const PRODUCTS = ["freshdesk", "freshservice", "freshsales", "freshteam", "freshchat", "freshcaller", "myfreshworks"];

/** Names of the product for which this service issues API keys. */
const OURS = new Set(["current", "chat", "freshchat"]);

const productHost = (key) => {
  const product = PRODUCTS.find((name) => key.toLowerCase().includes(name));
  return product ? `${ACCOUNT}.${product}.com` : OUTSIDE;
};

const BY_TYPE = {
  email: () => "ada@example.com",
  number: () => "1",
  phone_number: () => "+14155552671",
  url: (key) => `https://${productHost(key)}`,
  date: () => "2026-03-02",
  paragraph: () => "A longer text",
  api_key: () => "key-of-compatibility-run",
};

const textFor = (key) => {
  if (/e_?mail/i.test(key)) return "ada@example.com";
  if (/sub_?domain|workspace|tenant|account/i.test(key)) return ACCOUNT;
  if (/domain|host/i.test(key)) return productHost(key);
  if (/url/i.test(key)) return `https://${productHost(key)}`;
  if (/number/i.test(key)) return "+14155552671";
  return "value-of-compatibility-run";
};

const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
};

/**
 * Returns values for the parameters of config/iparams.json, by key. Parameters with a list of choices are left to the page.
 * @shape given: values of one app, which override the default values
 */
export const valuesOf = (folder, { token }, given = {}) => {
  const { product = {}, modules = {} } = readJson(join(folder, "manifest.json")) ?? {};
  const isOurs = Object.keys({ ...product, ...modules }).some((name) => /^(freshchat|chat)/.test(name));
  const isKey = (key, { type, type_attributes: { product: of } = {} }) =>
    type === "api_key" ? OURS.has(of) : isOurs && /^(freshchat_?)?(api_?key|token)$/i.test(key);
  const parameters = readJson(join(folder, "config", "iparams.json")) ?? {};
  const chosen = Object.entries(parameters).flatMap(([key, { type, "data-bind": bound, ...rest } = {}]) => {
    if (Object.hasOwn(given, key)) return [[key, given[key]]];
    if (bound === "product.api_key" || bound === true || bound === "true" || isKey(key, { type, ...rest }))
      return [[key, token]];
    if (["dropdown", "radio", "checkbox", "multiselect"].includes(type)) return [];
    // The page fills in the account's own address.
    if (type === "domain" && OURS.has(rest.type_attributes?.product)) return [];
    if (type === "domain") return [[key, PRODUCTS.includes(rest.type_attributes?.product) ? ACCOUNT : OUTSIDE]];
    return [[key, (BY_TYPE[type] ?? textFor)(key)]];
  });
  return Object.fromEntries(chosen);
};

/** Returns the first choice of each parameter with a list of choices and no default, as a person chooses it on the page. */
export const choicesOf = (folder) =>
  Object.fromEntries(
    Object.entries(readJson(join(folder, "config", "iparams.json")) ?? {}).flatMap(([key, declared]) => {
      const { type, options = [], default_value: value } = declared ?? {};
      const [first] = Array.isArray(options) ? options : [];
      if (first === undefined || value !== undefined) return [];
      return ["dropdown", "radio"].includes(type) ? [[key, first]] : type === "multiselect" ? [[key, [first]]] : [];
    }),
  );

const SKIPPED = new Set(["node_modules", ".git", "coverage", "dist", "test"]);
const TEXTS = /\.(js|mjs|cjs|jsx|ts|tsx|vue|json|html)$/;
const LARGEST_TEXT_BYTES = 1_000_000;

/** Yields the text of each file in which an app may name hosts. */
function* textsIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* textsIn(path);
    else if (entry.isFile() && TEXTS.test(entry.name) && statSync(path).size < LARGEST_TEXT_BYTES)
      yield readFileSync(path, "utf8");
  }
}

const HOST = /^(?=.{4,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;
const TEMPLATE = /(?:<%=?\s*|\{\{\s*|\$\{\s*)[\w.]*?(\w+)\s*(?:%>|\}\}|\})/g;

const filled = (text, values) => text.replace(TEMPLATE, (_all, key) => values[key] ?? ACCOUNT);
const hostOf = (text) => {
  const host = text
    .replace(/^\w+:\/\//, "")
    .split(/[/:?#]/)[0]
    .toLowerCase();
  return HOST.test(host) && !host.endsWith("localhost") && !/^[\d.]+$/.test(host) ? [host] : [];
};

/** Returns the hosts in the app's templates, whitelist, OAuth settings and code, and those of the entered values. */
export const hostsOf = (folder, values) => {
  const hosts = new Set(PRODUCTS.map((product) => `${ACCOUNT}.${product}.com`));
  for (const value of Object.values(values)) for (const host of hostOf(String(value))) hosts.add(host);
  const requests = join(folder, "config", "requests.json");
  for (const { schema } of Object.values((existsSync(requests) && readJson(requests)) || {}))
    for (const host of hostOf(filled(schema?.host ?? "", values))) hosts.add(host);
  for (const text of textsIn(folder))
    for (const [address] of text.matchAll(/https?:\/\/[^\s"'`,;)\\|]+(?:\s+%>[^\s"'`,;)\\|]*)?/g))
      for (const host of hostOf(filled(address, values))) hosts.add(host);
  return [...hosts].filter((host) => !/(^|\.)(localhost|local|internal)$/.test(host)).sort();
};

/** Returns `{id, place, url}` for each of the manifest's placeholders with a page. In older manifests the id is the placeholder alone. */
export const placesIn = ({ product = {}, modules = {} }) =>
  [
    ...Object.entries(product).map((one) => [...one, false]),
    ...Object.entries(modules).map((one) => [...one, true]),
  ].flatMap(([module, { location = {} } = {}, isModule]) =>
    Object.entries(location).flatMap(([place, { url } = {}]) =>
      url ? [{ id: isModule ? `${module}.${place}` : place, place, url }] : [],
    ),
  );
