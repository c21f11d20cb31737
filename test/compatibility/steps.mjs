/** Steps of one app's test: validate, pack, run, install, each page, each event, each function. */
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parley, startRun } from "./command.mjs";
import { HOST_OF_GRANTS, install } from "./install.mjs";
import { openPlace, tellRejections } from "./pages.mjs";
import { payloadOf } from "./payloads.mjs";
import { startStandIn } from "./stand-in.mjs";
import { hostsOf, placesIn, valuesOf } from "./values.mjs";

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

/** Runs the steps that need a running app. */
const used = async ({ running, context, folder, env, entry, values, heard, picture, say }) => {
  const at = { cwd: folder, env };
  const steps = [];
  const add = (...more) => {
    for (const step of more) say(step);
    steps.push(...more);
  };
  const calls = async () =>
    (await parley(["logs", "--json"], at)).stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const refused = await install(context, { installPage: running.installPage, values, fields: entry.fields, picture });
  const lastCall = async () => failureOf((await calls()).at(-1) ?? {});
  add({
    step: "install",
    ok: refused === undefined,
    ...(refused && { reason: oneLine(`${refused} ${await lastCall()}`) }),
  });
  if (refused !== undefined) return steps;
  const conversation = await converse(running);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const command = (args) => parley(args, at);
  for (const place of placesIn(manifest)) {
    const check = entry.place === place.place && entry.check;
    const use = check && ((given) => check({ ...given, heard, command, logs: calls }));
    add(...(await openPlace(context, { app: running.app, ...place, conversation, picture, check: use })));
  }
  const { events = [] } = parsed((await parley(["event", "list", "--json"], at)).stdout) ?? {};
  const before = await calls();
  for (const { event, module, kind } of events.toSorted((one, other) => rank(one) - rank(other))) {
    const step = `${kind === "function" ? "function" : "event"} ${module && kind === "product" ? `${module}.` : ""}${event}`;
    const earlier = before.findLast((call) => call.event === event);
    // A page has already called the function with its own arguments, or the installation has sent the event: apps don't expect a second one.
    if (earlier?.ok && (kind === "function" || kind === "set-up")) {
      add({ step, ok: true });
      continue;
    }
    const given =
      entry.payloads?.[event] ??
      (kind === "product" && !OWN.has(module) ? payloadWhereNone(folder, event, module) : undefined);
    const name =
      kind === "product" && events.filter((one) => one.event === event).length > 1 ? `${module}/${event}` : event;
    const { stdout, stderr } = await parley(
      ["event", name, "--json", ...(given ? ["--data", JSON.stringify(given)] : [])],
      at,
    );
    const call = parsed(stdout);
    add({
      step,
      ok: call?.ok === true,
      ...(call?.ok !== true && { reason: call ? failureOf(call) : oneLine(stderr) }),
    });
  }
  return steps;
};

/** Modules whose events this service sends. */
const OWN = new Set(["freshchat", "chat_conversation", "chat_user", "common"]);

/** Returns the payload of another product's event if the app includes none. */
const payloadWhereNone = (folder, event, module) =>
  ["server/test_data", "test_data"].some((part) => existsSync(join(folder, part, `${event}.json`)))
    ? undefined
    : payloadOf(event, module);

/** Order of events: those that create records, then those that read them, then those that delete them; the uninstall event is last. */
const rank = ({ event }) => {
  if (/Uninstall/i.test(event)) return 3;
  if (/^(delete|remove)/i.test(event)) return 2;
  return /^(create|add|set|save|store|bookmark)/i.test(event) ? 0 : 1;
};

/**
 * @shape target: {name, folder, entry}; `entry`: known facts of the app (values, fields, answers, payloads, check)
 * Returns {name, findings, steps}; a step is {step, ok, reason?}.
 */
export const judge = async ({ name, folder: origin, entry }, { base, browser, rules, pictures, say }) => {
  const folder = join(base, "run", name.replaceAll(/[^\w.-]+/g, "-"));
  mkdirSync(folder, { recursive: true });
  cpSync(origin, folder, { recursive: true, filter: (path) => !/[\\/](node_modules|\.git|\.parley)$/.test(path) });
  const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  for (const name of ["DATABASE_URL", "PARLEY_DATA"]) delete env[name];
  const at = { cwd: folder, env };
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
    for (const step of ["pack", "run"]) add({ step, ok: false, reason: "not reached: validate found errors" });
    return { name, findings, steps };
  }
  const packed = await parley(["pack", "--json", "--out", join(base, "package.zip")], at);
  add({
    step: "pack",
    ok: packed.status === 0,
    ...(packed.status !== 0 && { reason: oneLine(packed.stderr || packed.stdout) }),
  });
  const standIn = await startStandIn(entry.answers);
  let running;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const picture = pictures
    ? (page, what) =>
        page.screenshot({ path: join(pictures, `${name}-${what}.png`.replaceAll(/[/\s]/g, "-")), fullPage: true })
    : undefined;
  try {
    await rules(context);
    await tellRejections(context);
    const values = valuesOf(folder, { token: "" }, entry.values);
    const maps = [...hostsOf(folder, values), HOST_OF_GRANTS, ...(entry.hosts ?? [])].flatMap((host) => [
      "--map",
      `${host}=${standIn.origin}`,
    ]);
    running = await startRun([...maps, ...(entry.options ?? [])], at);
    if (!running.service) throw new Error(running.said() || "parley run waits until the app's errors are mended");
    standIn.serves(new URL(running.service).origin);
    add({ step: "run", ok: true });
    const filled = valuesOf(folder, running, entry.values);
    const { heard } = standIn;
    steps.push(...(await used({ running, context, folder, env, entry, values: filled, heard, picture, say })));
  } catch (error) {
    add({ step: running?.service ? "use" : "run", ok: false, reason: oneLine(error.message) });
  } finally {
    await context.close();
    await running?.stop();
    await standIn.close();
  }
  return { name, findings, steps };
};

export const isApp = (folder) => existsSync(join(folder, "manifest.json"));
