/** Clients that write and read through a load balancer, and what they met. */
import { setTimeout as elapse } from "node:timers/promises";

const CLIENTS = 4;
/** Interval of the load balancer's probes. @units milliseconds */
const PROBE_MS = 250;
/** @units milliseconds */
const PROBE_TIMEOUT_MS = 2_000;
/** Probes without an answer after which a machine gets no more requests, as load balancers have it. */
const UNANSWERED_MAX = 3;
/** @units milliseconds */
const REQUEST_TIMEOUT_MS = 15_000;
/** Pause of a client after each request: the machine must do more than the load. @units milliseconds */
const PAUSE_MS = 50;

/** Sends requests to machines that answer `GET /ready` with 200, in turn. */
export const openBalancer = () => {
  let machines = [];
  let turn = 0;
  let isOpen = true;
  const probe = async (each) => {
    const answer = await fetch(`${each.origin}/ready`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer();
    each.unanswered = answer ? 0 : each.unanswered + 1;
    if (answer) each.isReady = answer.status === 200;
    else if (each.unanswered >= UNANSWERED_MAX) each.isReady = false;
  };
  const probing = (async () => {
    while (isOpen) {
      await Promise.all(machines.map(probe));
      await elapse(PROBE_MS);
    }
  })();
  return {
    async add({ origin }) {
      const added = { origin, isReady: false, unanswered: 0 };
      await probe(added);
      machines = [...machines, added];
    },
    remove({ origin }) {
      machines = machines.filter((each) => each.origin !== origin);
    },
    next() {
      const ready = machines.filter(({ isReady }) => isReady);
      turn += 1;
      return ready[turn % ready.length]?.origin;
    },
    async close() {
      isOpen = false;
      await probing;
    },
  };
};

const user = (id, text) => ({ actor_type: "user", actor_id: id, message_parts: [{ text: { content: text } }] });

/** One client: a customer, an agent and a report, in the order of a day. Yields requests; receives the parsed response. */
function* requestsOf({ channel, agent, hours }, name) {
  const { id } = yield ["POST", "/users", { first_name: name, email: `${name}@example.com` }];
  for (let round = 0; ; round++) {
    const started = user(id, `${name} begins ${round}`);
    const { conversation_id } = yield [
      "POST",
      "/conversations",
      { channel_id: channel, users: [{ id }], messages: [started] },
    ];
    const path = `/conversations/${conversation_id}`;
    for (let number = 0; number < 5; number++)
      yield ["POST", `${path}/messages`, user(id, `${name} asks ${number}`), true];
    yield ["PUT", path, { status: "assigned", assigned_agent_id: agent }];
    yield ["GET", `${path}/messages?items_per_page=20`];
    yield ["GET", path];
    yield ["PUT", `/users/${id}`, { last_name: `of round ${round}` }];
    yield ["GET", `/users/${id}`];
    yield ["GET", `/users/${id}/conversations`];
    yield ["GET", `/users?first_name=${name}&sort_by=created_time&sort_order=desc`];
    yield ["GET", `/users?created_from=2020-01-01T00:00:00.000Z&items_per_page=10`];
    yield ["POST", "/users/fetch", { ids: [id] }];
    yield ["GET", `/search?q=${name}`];
    yield ["GET", "/agents?items_per_page=10"];
    yield ["GET", "/groups"];
    yield ["GET", `/metrics/instant?metric=conversation_metrics.open`];
    yield [
      "GET",
      `/metrics/historical?metric=conversation_metrics.created_interactions&start=${hours[0]}&end=${hours[1]}&interval=1h`,
    ];
    yield ["PUT", path, { status: "resolved" }];
  }
}

/**
 * Starts the clients. @shape `context`: `{ token, channel, agent, hours }`
 * -> `phase(name)`: begins a phase and returns the figures of the previous phase; `messages`: ids that were acknowledged; `stop`
 */
export const startClients = ({ balancer, context }) => {
  let isOpen = true;
  const messages = [];
  const fresh = (name) => ({ name, startTime: performance.now(), requests: 0, failures: [], times: [] });
  let figures = fresh("");

  const send = async ([method, path, body, isMessage]) => {
    const startTime = performance.now();
    const { times, failures } = figures;
    figures.requests += 1;
    const fail = (reason) => void failures.push(`${method} ${path.split("?")[0]}: ${reason}`);
    const origin = balancer.next();
    if (origin === undefined) return fail("no machine is ready");
    try {
      const response = await fetch(`${origin}/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${context.token}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) return fail(`${response.status} ${text.slice(0, 200)}`);
      times.push(performance.now() - startTime);
      const reply = text === "" ? {} : JSON.parse(text);
      if (isMessage) messages.push({ id: reply.id, conversation: path.split("/")[2] });
      return reply;
    } catch (error) {
      return fail(`${error.message} ${error.cause?.code ?? error.cause?.message ?? ""}`);
    }
  };
  const client = async (number) => {
    while (isOpen) {
      const requests = requestsOf(context, `client${number}x${messages.length}`);
      // A client begins again after a failure: the next request would use what the failed one did not create.
      for (let step = requests.next(); isOpen;) {
        const reply = await send(step.value);
        await elapse(PAUSE_MS);
        if (reply === undefined) break;
        step = requests.next(reply);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return {
    messages,
    failureCount: () => figures.failures.length,
    phase(name) {
      const ended = figures;
      figures = fresh(name);
      const times = ended.times.sort((a, b) => a - b);
      const at = (share) => Math.round(times[Math.floor(share * times.length)] ?? 0);
      return {
        phase: ended.name,
        seconds: Number(((performance.now() - ended.startTime) / 1_000).toFixed(1)),
        requests: ended.requests,
        failed: ended.failures.length,
        failures: [...new Set(ended.failures)].slice(0, 10),
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        longest_ms: Math.round(times.at(-1) ?? 0),
      };
    },
    async stop() {
      isOpen = false;
      await clients;
    },
  };
};
