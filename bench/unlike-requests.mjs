/**
 * Sends requests that differ from each other, in its own process: every endpoint of docs/integrators/openapi.json with ids, parameters, bodies and
 * headers of all kinds, most of them refused. Receives `{ origin, token, count, seed }` by message and replies with `{ statuses }`, the number of
 * responses by status.
 */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";

const CONNECTIONS = 32;
/** Ids of created users and conversations that later requests name. */
const IDS_MAX = 500;

const { paths } = JSON.parse(readFileSync(new URL("../docs/integrators/openapi.json", import.meta.url), "utf8"));
const METHODS = ["get", "post", "put", "patch", "delete"];
const OPERATIONS = Object.entries(paths)
  .filter(([path]) => !path.includes("stream"))
  .flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map((method) => ({
      path,
      method: method.toUpperCase(),
      query: (operations[method].parameters ?? []).filter((each) => each.in === "query").map(({ name }) => name),
    })),
  );

const run = async ({ origin, token, count, seed }) => {
  let drawn = 0;
  /** -> a number from 0 up to 1, the same in each run */
  const random = () => createHash("sha1").update(`${seed} ${drawn++}`).digest().readUInt32LE() / 2 ** 32;
  const pick = (values) => values[Math.floor(random() * values.length)];
  const word = () =>
    pick([
      () => randomUUID(),
      () => String(Math.floor(random() * 1e9)),
      () => `é${random()}`,
      () => "2026-01-05T10:00:00Z",
      () => "",
      () => "a".repeat(Math.floor(random() * 2_000)),
    ])();
  const value = (depth = 0) =>
    pick([
      word,
      () => random() * 1e4,
      () => null,
      () => true,
      ...(depth < 3 ? [() => [value(depth + 1)], nested(depth)] : []),
    ])();
  const nested = (depth) => () => ({ [word() || "name"]: value(depth + 1) });
  const known = { user: [], conversation: [] };
  const remember = (ids, id) => {
    ids.push(id);
    if (ids.length > IDS_MAX) ids.shift();
  };

  const dispatcher = new Agent({ connections: CONNECTIONS });
  const statuses = {};
  const send = async () => {
    const { path, method, query } = pick(OPERATIONS);
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const ids = known[name.split("_")[0]] ?? [];
      return encodeURIComponent(ids.length > 0 && random() < 0.6 ? pick(ids) : word() || "x");
    });
    const parameters = new URLSearchParams(query.filter(() => random() < 0.5).map((name) => [name, word()]));
    if (random() < 0.1) parameters.set(word() || "name", word());
    const isRead = method === "GET" || method === "DELETE";
    const body = random() < 0.5 ? value() : { first_name: word(), email: `${randomUUID()}@example.com` };
    const headers = { authorization: `Bearer ${token}`, "user-agent": word() };
    if (!isRead) headers["content-type"] = "application/json";
    if (random() < 0.3) headers["idempotency-key"] = randomUUID();
    const root = path.startsWith("/v2") ? origin : `${origin}/v2`;
    const response = await request(`${root}${filled}?${parameters}`, {
      method,
      dispatcher,
      headers,
      ...(!isRead && { body: JSON.stringify(body) }),
    });
    statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
    const text = await response.body.text();
    if (response.statusCode >= 300 || !text.startsWith("{")) return;
    const { id, conversation_id } = JSON.parse(text);
    if (path.endsWith("/users") && id) remember(known.user, id);
    if (conversation_id) remember(known.conversation, conversation_id);
  };
  let sent = 0;
  const sendNext = async () => {
    while (sent++ < count) await send();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext));
  await dispatcher.close();
  return { statuses };
};

process.on("message", (message) => {
  if (message === "end") process.exit();
  run(message).then(
    (result) => process.send(result),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send({});
