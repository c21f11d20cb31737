/** Clients that write, each in a conversation of its own, and note each acknowledgement. */
import { setTimeout as elapse } from "node:timers/promises";
import { chance as chanceOf } from "./chance.mjs";
import { line, NoAnswer } from "./wire.mjs";

/** How long one try waits for its answer: less than a process may stand still. @units milliseconds */
const TRY = 1_500;
/** How long a write may stay without an answer, whatever happens meanwhile. @units milliseconds */
const PATIENCE = 90_000;
/** How many of the answered writes are sent a second time, with the same key. */
const REPEATED = 0.01;
/** How many are sent to both services in the same moment. */
const TWICE_AT_ONCE = 0.01;
/** One lane in so many writes to the account whose events the app hears: its way takes more work. */
const APP_SHARE = 8;

/** Nothing can be said of the product when its answers are of another kind than those that a kill may bring. */
class Unexpected extends Error {}

/**
 * A client of the run. -> `write(request)`: `{ id, answers }` once it is acknowledged: the ids that came back, one for each time that it
 * was; undefined where the answer was lost and there is no key to ask with again.
 */
const client = ({ ports, isKeyed, chance, tally }) => {
  const lines = [line(), line()];

  /** -> an answer of 2xx; undefined when it isn't known whether the write was done. */
  const untilAnswered = async (way, request) => {
    const deadline = performance.now() + PATIENCE;
    let said = "";
    for (let tries = 0; performance.now() < deadline; tries++) {
      if (tries > 0) await elapse(Math.min(10 * 2 ** tries, 200));
      try {
        const answer = await way.ask(chance.pick(ports), request, TRY);
        const { status, headers, text } = answer;
        if (headers["idempotency-replayed"] === "true") tally.replayed += 1;
        if (status >= 200 && status < 300) return answer;
        said = `${status} ${text}`;
        if (status === 409 || status === 429 || status === 503) tally.refused += 1;
        else if (status < 500) throw new Unexpected(`${request.method} ${request.path} was answered ${said}`);
        else tally.broken += 1;
        if (!isKeyed && status >= 500) return undefined;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        said = error.message;
        tally.unanswered += 1;
        if (!isKeyed && error.isSent) return undefined;
      }
    }
    throw new Unexpected(`${request.method} ${request.path} got no answer in ${PATIENCE / 1_000} s: ${said}`);
  };

  return {
    async write(request, idOf) {
      const isDouble = isKeyed && chance.next() < TWICE_AT_ONCE;
      const answers = await Promise.all(lines.slice(0, isDouble ? 2 : 1).map((way) => untilAnswered(way, request)));
      if (answers[0] === undefined) return undefined;
      if (isKeyed && chance.next() < REPEATED) answers.push(await untilAnswered(lines[0], request));
      const ids = answers.map(({ text }) => idOf(JSON.parse(text)));
      return { id: ids[0], answers: [...new Set(ids)] };
    },
    close: () => lines.forEach((each) => each.close()),
  };
};

/**
 * Lets `lanes` clients write until there are `writes` acknowledgements, or as many were tried.
 * @shape -> `[{ account, user, id, writes: [{ kind, text, id, answers }] }]`, one a lane; `id` is undefined for what isn't acknowledged
 */
export const writeAll = async ({ seed, round, lanes, writes, services, accounts, isKeyed, tally, acknowledged }) => {
  const ports = services.map(({ port }) => port);
  const each = Math.max(3, Math.ceil(writes / lanes));

  const lane = async (number) => {
    const chance = chanceOf(seed, round, "lane", number);
    const name = `crash-${seed}-${round}-${number}`;
    const account = accounts[number % APP_SHARE === 0 ? 1 : 0];
    const { write, close } = client({ ports, isKeyed, chance, tally });
    const made = { account: account.name, name, user: undefined, id: undefined, writes: [] };
    const send = async (kind, text, path, body, idOf) => {
      const headers = { authorization: `Bearer ${account.token}`, "idempotency-key": text };
      const request = { method: "POST", path: `/v2${path}`, headers, body: JSON.stringify(body) };
      const { id, answers = [] } = (await write(request, idOf)) ?? {};
      made.writes.push({ kind, text, id, answers });
      if (id !== undefined) acknowledged();
      return id;
    };
    const say = (content) => ({
      actor_type: "user",
      actor_id: made.user,
      message_parts: [{ text: { content } }],
    });
    try {
      made.user = await send("user", name, "/users", { first_name: name }, ({ id }) => id);
      if (made.user === undefined) return made;
      const first = { channel_id: account.channel, users: [{ id: made.user }], messages: [say(`${name}-0`)] };
      made.id = await send("conversation", `${name}-0`, "/conversations", first, (body) => body.conversation_id);
      if (made.id === undefined) return made;
      for (let count = 1; count <= each - 2; count++) {
        const text = `${name}-${count}`;
        await send("message", text, `/conversations/${made.id}/messages`, say(text), ({ id }) => id);
      }
      return made;
    } finally {
      close();
    }
  };
  return Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
};

/**
 * Writes to each service by itself: one that lives and no longer works would hide behind the other one.
 * @errors Unexpected when one does not answer again
 */
export const probe = async ({ seed, round, services, accounts: [account], tally }) => {
  await Promise.all(
    services.map(async ({ name, port }) => {
      const chance = chanceOf(seed, round, name);
      const { write, close } = client({ ports: [port], isKeyed: true, chance, tally });
      const headers = { authorization: `Bearer ${account.token}`, "idempotency-key": `probe-${seed}-${round}-${name}` };
      const request = { method: "POST", path: "/v2/users", headers, body: JSON.stringify({ first_name: "probe" }) };
      await write(request, ({ id }) => id).finally(close);
    }),
  );
};

/** Whether the service takes keys: what is sent twice is answered with the first answer. */
export const takesKeys = async ({ port, account }) => {
  const way = line();
  const request = {
    method: "POST",
    path: "/v2/users",
    headers: { authorization: `Bearer ${account.token}`, "idempotency-key": "does-it-take-keys" },
    body: JSON.stringify({ first_name: "key" }),
  };
  await way.ask(port, request, 10_000);
  const { headers } = await way.ask(port, request, 10_000);
  way.close();
  return headers["idempotency-replayed"] === "true";
};
