/** The running `parley serve` on which all apps are published and installed, and the site of each app. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { parley, startServe } from "./command.mjs";

const NAME_CHARACTERS_MAX = 40;

/**
 * Returns the name under which an app is published: the last part of its path, in lower case, with hyphens in place of all other characters,
 * since published names are parts of host names. A name that is cut, or that an earlier app has, ends in six digits of its full name's hash.
 * @shape taken: names so far
 */
export const publishedName = (name, taken = new Set()) => {
  const plain =
    (name.split("/").at(-1) ?? "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "app";
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  const isFree = plain.length <= NAME_CHARACTERS_MAX && !taken.has(plain);
  const chosen = isFree ? plain : `${plain.slice(0, NAME_CHARACTERS_MAX - 7).replace(/-$/, "")}-${hash}`;
  taken.add(chosen);
  return chosen;
};

/** Sends a request to this machine under another host name, which Node does not resolve. Returns {status, body}. */
const send = (url, { method = "GET", headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const { host, port, pathname, search } = new URL(url);
    const sent = request(
      { host: "127.0.0.1", port, method, path: pathname + search, headers: { ...headers, host } },
      (reply) => {
        const chunks = [];
        reply.on("data", (chunk) => chunks.push(chunk));
        reply.on("end", () => resolve({ status: reply.statusCode, body: Buffer.concat(chunks).toString() }));
        reply.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** Posts JSON to an address that an app handed out. Returns the status. */
export const postToTarget = async (address, value) =>
  (
    await send(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    })
  ).status;

/** Author's endpoints below `/admin` of an app's site, in the shape of the commands `parley event`, `parley logs` and `parley consent`. */
const controlOf = (site, key) => {
  const call = async (path, body) => {
    const answer = await send(`${site}/admin/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value = parsed(answer.body);
    if (answer.status >= 400) throw new Error(`${answer.status} ${value.message ?? answer.body}`);
    return value;
  };
  return {
    logs: async () => (await call("invocations?limit=1000")).invocations,
    app: () => call("app"),
    raise: ({ event, kind }, payload) =>
      kind === "function"
        ? call("functions", { name: event, ...(payload && { args: payload }) })
        : call("events", { event, ...(payload && { payload }) }),
    consent: (subject) => call("consents", { subject, isGiven: true }),
  };
};

/** Starts the instance. @shape maps: options `--map` for the hosts of all apps; onStart: receives a function that stops it */
export const startInstance = async (maps, { base, onStart }) => {
  const data = join(base, "data");
  const env = { ...process.env, PARLEY_DATA: data, PARLEY_CALLS_PER_HOUR: "10000000" };
  for (const name of ["DATABASE_URL", "PARLEY_APPS_URL", "PARLEY_PUBLIC_URL", "PARLEY_ADMIN_KEY"]) delete env[name];
  const serving = await startServe(["--demo", "--port", "0", "--app-port", "0", ...maps], { cwd: base, env, onStart });
  const key = readFileSync(join(data, "admin-key"), "utf8").trim();
  const { account } = serving;
  const platform = async (method, path, body, type = "application/json") => {
    const answer = await send(`${serving.platform}/platform/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body }),
    });
    const value = parsed(answer.body);
    return answer.status < 300
      ? { value }
      : { refused: `${value.status ?? answer.status}: ${value.message ?? answer.body}` };
  };
  const apps = `accounts/${account}/apps`;
  return {
    ...serving,
    env,
    siteOf: (name) => serving.apps.replace("://", `://${name}--${account}.`),
    controlOf: (site) => controlOf(site, key),
    publish: (name, archive) => platform("POST", `packages?name=${name}`, archive, "application/zip"),
    install: (name, iparams) => platform("POST", apps, JSON.stringify({ name, iparams })),
    installation: (name) => platform("GET", `${apps}/${name}`),
    uninstall: (name) => platform("DELETE", `${apps}/${name}`),
    /** Signs an admin of the account in. Returns the state of the browser, for a new context. */
    async signIn(browser) {
      const { stdout, stderr } = await parley(["sign-in", "--account", account, "--json"], { cwd: base, env });
      if (!stdout) throw new Error(stderr);
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(JSON.parse(stdout).link);
      await page.getByRole("button").first().click();
      await page.waitForURL(({ pathname }) => !pathname.startsWith("/sign-in/link"));
      const state = await context.storageState();
      await context.close();
      return state;
    },
  };
};
