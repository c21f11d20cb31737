/** Steps of one app's test: validate, pack, publish, install, each page, each event, each function. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parley } from "./command.mjs";
import { install } from "./install.mjs";
import { openPlace, tellRejections } from "./pages.mjs";
import { payloadOf } from "./payloads.mjs";
import { choicesOf, placesIn, valuesOf } from "./values.mjs";

/** Creates a customer's conversation on the live service. Returns its id. */
const converse = async ({ service, token }) => {
  const call = async (method, path, body) => {
    const answer = await fetch(service + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const { channels } = await call("GET", "/channels");
  const { id } = await call("POST", "/users", { first_name: "Sam", email: "sam@example.com" });
  const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Where is my order?" } }] }];
  const made = await call("POST", "/conversations", { channel_id: channels[0].id, users: [{ id }], messages });
  return made.conversation_id;
};

const oneLine = (value) => String(value).replace(/\s+/g, " ").trim().slice(0, 400);

const failureOf = ({ error, lines = [] }) =>
  oneLine([error?.message ?? error ?? "", ...lines.map((line) => line.text)].join(" | "));

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Whether only the app's page can install it: it has a page or callbacks of its own, or connections that a person authorizes. */
const needsPage = (folder) =>
  ["config/iparams.html", "config/oauth_config.json", "config/assets/iparams.js", "config/assets/iparams.ts"].some(
    (file) => existsSync(join(folder, file)),
  );

/** Installs the app: by its page in the browser, or by the platform's API. Returns why it was refused. */
const installed = async ({ instance, name, context, folder, values, fields, picture, site }) => {
  const installPage = `${site}/custom_configs`;
  const refused = needsPage(folder)
    ? await install(context, { installPage, values, fields, picture })
    : (await instance.install(name, { ...choicesOf(folder), ...values })).refused;
  return refused ?? (await instance.installation(name)).refused;
};

/** Runs the steps that need an installed app. */
const used = async ({ instance, name, context, folder, entry, values, requestsTo, picture, say }) => {
  const site = instance.siteOf(name);
  const control = instance.controlOf(site);
  const steps = [];
  const add = (...more) => {
    for (const step of more) say(step);
    steps.push(...more);
  };
  for (const subject of consentsOf(entry)) await control.consent(subject);
  const refused = await installed({ instance, name, context, folder, values, fields: entry.fields, picture, site });
  const lastCall = async () => failureOf((await control.logs()).at(-1) ?? {});
  add({
    step: "install",
    ok: refused === undefined,
    ...(refused && { reason: oneLine(`${refused} ${await lastCall()}`) }),
  });
  if (refused !== undefined) return steps;
  const conversation = await converse(instance);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const app = `${new URL(instance.service).origin}/console/apps/${name}`;
  for (const place of placesIn(manifest)) {
    const check = entry.place === place.place && entry.check;
    const use = check && ((given) => check({ ...given, requestsTo, raise: control.raise, logs: control.logs }));
    add(...(await openPlace(context, { app, ...place, conversation, picture, check: use })));
  }
  const { events = [] } = await control.app();
  const before = await control.logs();
  for (const { event, module, kind } of events.toSorted((one, other) => rank(one) - rank(other))) {
    const step = `${kind === "function" ? "function" : "event"} ${module && kind === "product" ? `${module}.` : ""}${event}`;
    const earlier = before.findLast((call) => call.event === event);
    // A page has already called the function with its own arguments, or the installation has sent the event: apps don't expect a second event.
    if (earlier?.ok && (kind === "function" || kind === "set-up")) {
      add({ step, ok: true });
      continue;
    }
    const given =
      entry.payloads?.[event] ??
      sampleIn(folder, event) ??
      (kind === "product" && !OWN.has(module) ? payloadOf(event, module) : undefined);
    const named =
      kind === "product" && events.filter((one) => one.event === event).length > 1 ? `${module}/${event}` : event;
    const call = await control.raise({ event: named, kind }, given).catch((error) => ({ error }));
    add({ step, ok: call.ok === true, ...(call.ok !== true && { reason: failureOf(call) }) });
  }
  return steps;
};

/** Subjects of the consents that an admin gives before the installation, by the options that `parley run` has for them. */
const consentsOf = ({ options = [] }) =>
  options.flatMap((option, at) => {
    if (option === "--allow-secure-iparams") return ["secure-iparams"];
    return option === "--allow-host" ? [options[at + 1]] : [];
  });

/** Modules whose events this service sends. */
const OWN = new Set(["freshchat", "chat_conversation", "chat_user", "common"]);

/** Returns the author's sample payload of an event or a function: a package does not contain it. */
const sampleIn = (folder, event) => {
  const files = ["server/test_data", "test_data"].map((part) => join(folder, part, `${event}.json`));
  const file = files.find((path) => existsSync(path));
  return file && parsed(readFileSync(file, "utf8"));
};

/** Order of events: those that create records, then those that read them, then those that delete them; the uninstall event is last. */
const rank = ({ event }) => {
  if (/Uninstall/i.test(event)) return 3;
  if (/^(delete|remove)/i.test(event)) return 2;
  return /^(create|add|set|save|store|bookmark)/i.test(event) ? 0 : 1;
};

/**
 * @shape target: {name, published, repository, folder, entry}; `published`: its name on the platform; `repository`: of a public app; `entry`: known
 * facts of the app (values, fields, answers, payloads, check)
 * Returns {name, findings, steps}; a step is {step, ok, reason?}.
 */
export const judge = async (
  { name, published, repository, folder: origin, entry },
  { base, browser, instance, signedIn, fakeServices, rules, pictures, say },
) => {
  const folder = join(base, "run", name.replaceAll(/[^\w.-]+/g, "-"));
  mkdirSync(folder, { recursive: true });
  // Packages that an author has installed are imported by the pages of the app. Those in a repository may be of any machine.
  const left = repository === undefined ? /[\\/](\.git|\.parley)$/ : /[\\/](node_modules|\.git|\.parley)$/;
  cpSync(origin, folder, { recursive: true, filter: (path) => !left.test(path) });
  const at = { cwd: folder, env: instance.env };
  const steps = [];
  const add = (step) => {
    say(step);
    steps.push(step);
  };
  const validated = await parley(["validate", "--json"], at);
  const { findings } = parsed(validated.stdout) ?? {};
  if (!findings) throw new Error(`parley validate gave no JSON: ${validated.stderr || validated.stdout}`);
  const errors = findings.filter(({ level }) => level === "error");
  const wrong = errors.map(({ code, file, message }) => `${code} ${file}: ${message}`).join(" | ");
  add({ step: "validate", ok: errors.length === 0, ...(wrong && { reason: oneLine(wrong) }) });
  if (wrong) {
    for (const step of ["pack", "publish"]) add({ step, ok: false, reason: "not reached: validate found errors" });
    return { name, findings, steps };
  }
  const archive = join(base, "package.zip");
  rmSync(archive, { force: true });
  const packed = await parley(["pack", "--json", "--out", archive], at);
  add({
    step: "pack",
    ok: packed.status === 0,
    ...(packed.status !== 0 && { reason: oneLine(packed.stderr || packed.stdout) }),
  });
  fakeServices.begin(entry.answers);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, storageState: signedIn });
  const picture = pictures
    ? (page, what) =>
        page.screenshot({ path: join(pictures, `${name}-${what}.png`.replaceAll(/[/\s]/g, "-")), fullPage: true })
    : undefined;
  try {
    await rules(context);
    await tellRejections(context);
    const { refused } = existsSync(archive)
      ? await instance.publish(published, readFileSync(archive))
      : { refused: "not reached: there is no package" };
    add({ step: "publish", ok: refused === undefined, ...(refused && { reason: oneLine(refused) }) });
    if (refused !== undefined) return { name, findings, steps };
    const values = valuesOf(folder, instance, entry.values);
    const { requestsTo } = fakeServices;
    steps.push(
      ...(await used({ instance, name: published, context, folder, entry, values, requestsTo, picture, say })),
    );
  } catch (error) {
    add({ step: "use", ok: false, reason: oneLine(error.message) });
  } finally {
    await context.close();
    // The events of its account go on to the other apps only.
    await instance.uninstall(published);
  }
  return { name, findings, steps };
};

export const isApp = (folder) => existsSync(join(folder, "manifest.json"));
