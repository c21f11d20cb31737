/** Clients that write, each in its own conversation, and record each acknowledgement. */
import { setTimeout as elapse } from "node:timers/promises";
import { seededRandom } from "./seeded-random.mjs";
import { createConnection, NoAnswer } from "./wire.mjs";

/** Timeout of one attempt; shorter than the time for which a process may be paused. @units milliseconds */
const ATTEMPT_TIMEOUT_MS = 1_500;
/** How long a write may stay unacknowledged under any fault. @units milliseconds */
const WRITE_TIMEOUT_MS = 120_000;
/** Share of acknowledged writes that are sent again with the same key. */
const REPEATED_SHARE = 0.01;
/** Share of writes that are sent to both services at once. */
const CONCURRENT_SHARE = 0.01;
/** One lane in this many writes to the account of the app, whose deliveries take more work. */
const APP_SHARE = 8;

/** A response that a kill can't explain, which makes the results of the run meaningless. */
class Unexpected extends Error {}

/**
 * A client of the run. -> `write(request)`: `{ id, answers }` once acknowledged, where `answers` has the distinct ids that were returned; undefined
 * when the response was lost and there is no key to retry with.
 */
const client = ({ ports, isKeyed, random, tally, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS }) => {
  const connections = [createConnection(), createConnection()];

  /** -> a 2xx response; undefined when it is unknown whether the write was executed */
  const untilAnswered = async (connection, request) => {
    const deadline = performance.now() + WRITE_TIMEOUT_MS;
    let lastResponse = "";
    for (let tries = 0; performance.now() < deadline; tries++) {
      if (tries > 0) await elapse(Math.min(10 * 2 ** tries, 200));
      const began = performance.now();
      const note = (outcome) => {
        const ms = performance.now() - began;
        if (ms > tally.longest.ms) tally.longest = { ms, outcome };
      };
      try {
        const answer = await connection.ask(random.pick(ports), request, attemptTimeoutMs);
        note(String(answer.status));
        const { status, headers, text } = answer;
        if (headers["idempotency-replayed"] === "true") tally.replayed += 1;
        if (status >= 200 && status < 300) return answer;
        lastResponse = `${status} ${text}`;
        tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
        if (status === 409 || status === 429 || status === 503) tally.refused += 1;
        else if (status < 500)
          throw new Unexpected(`${request.method} ${request.path} got the response ${lastResponse}`);
        else tally.broken += 1;
        if (!isKeyed && status >= 500) return undefined;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        note(error.message);
        lastResponse = error.message;
        tally.unanswered += 1;
        if (!isKeyed && error.isSent) return undefined;
      }
    }
    throw new Unexpected(
      `${request.method} ${request.path} got no response in ${WRITE_TIMEOUT_MS / 1_000} s: ${lastResponse}`,
    );
  };

  return {
    async write(request, idOf) {
      const isDouble = isKeyed && random.next() < CONCURRENT_SHARE;
      const answers = await Promise.all(
        connections.slice(0, isDouble ? 2 : 1).map((connection) => untilAnswered(connection, request)),
      );
      if (answers[0] === undefined) return undefined;
      if (isKeyed && random.next() < REPEATED_SHARE) answers.push(await untilAnswered(connections[0], request));
      const ids = answers.map(({ text }) => idOf(JSON.parse(text)));
      return { id: ids[0], answers: [...new Set(ids)] };
    },
    close: () => connections.forEach((each) => each.close()),
  };
};

/**
 * Runs `lanes` clients until there are `writes` acknowledgements, or as many were attempted.
 * @shape -> `[{ account, user, id, writes: [{ kind, text, id, answers }] }]`, one for each lane; `id` is undefined for unacknowledged writes
 */
export const writeAll = async ({
  seed,
  round,
  lanes,
  writes,
  services,
  accounts,
  isKeyed,
  tally,
  attemptTimeoutMs,
  acknowledged,
}) => {
  const ports = services.map(({ port }) => port);
  const each = Math.max(3, Math.ceil(writes / lanes));

  const lane = async (number) => {
    const random = seededRandom(seed, round, "lane", number);
    const name = `crash-${seed}-${round}-${number}`;
    const account = accounts[number % APP_SHARE === 0 ? 1 : 0];
    const { write, close } = client({ ports, isKeyed, random, tally, attemptTimeoutMs });
    const record = { account: account.name, name, user: undefined, id: undefined, writes: [] };
    const send = async (kind, text, path, body, idOf) => {
      const headers = { authorization: `Bearer ${account.token}`, "idempotency-key": text };
      const request = { method: "POST", path: `/v2${path}`, headers, body: JSON.stringify(body) };
      const { id, answers = [] } = (await write(request, idOf)) ?? {};
      record.writes.push({ kind, text, id, answers });
      if (id !== undefined) acknowledged();
      return id;
    };
    const userMessage = (content) => ({
      actor_type: "user",
      actor_id: record.user,
      message_parts: [{ text: { content } }],
    });
    try {
      record.user = await send("user", name, "/users", { first_name: name }, ({ id }) => id);
      if (record.user === undefined) return record;
      const first = { channel_id: account.channel, users: [{ id: record.user }], messages: [userMessage(`${name}-0`)] };
      record.id = await send("conversation", `${name}-0`, "/conversations", first, (body) => body.conversation_id);
      if (record.id === undefined) return record;
      for (let count = 1; count <= each - 2; count++) {
        const text = `${name}-${count}`;
        await send("message", text, `/conversations/${record.id}/messages`, userMessage(text), ({ id }) => id);
      }
      return record;
    } finally {
      close();
    }
  };
  return Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
};

/**
 * Writes to each service separately, because a service that no longer works would be hidden by retries at the other service.
 * @errors Unexpected when a service does not respond again
 */
export const probe = async ({ seed, round, services, accounts: [account], tally, attemptTimeoutMs }) => {
  await Promise.all(
    services.map(async ({ name, port }) => {
      const random = seededRandom(seed, round, name);
      const { write, close } = client({ ports: [port], isKeyed: true, random, tally, attemptTimeoutMs });
      const headers = { authorization: `Bearer ${account.token}`, "idempotency-key": `probe-${seed}-${round}-${name}` };
      const request = { method: "POST", path: "/v2/users", headers, body: JSON.stringify({ first_name: "probe" }) };
      await write(request, ({ id }) => id).finally(close);
    }),
  );
};

/** Whether the service supports idempotency keys: a repeated request gets the first response. */
export const supportsIdempotencyKeys = async ({ port, account }) => {
  const connection = createConnection();
  const request = {
    method: "POST",
    path: "/v2/users",
    headers: { authorization: `Bearer ${account.token}`, "idempotency-key": "does-it-take-keys" },
    body: JSON.stringify({ first_name: "key" }),
  };
  await connection.ask(port, request, 10_000);
  const { headers } = await connection.ask(port, request, 10_000);
  connection.close();
  return headers["idempotency-replayed"] === "true";
};
