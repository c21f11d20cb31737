/** Who hears of events: a server that notes what it takes, and that may be told to behave badly. */
import { createServer } from "node:http";
import { verifyWebhook } from "../packages/egress/dist/index.js";

/** How long a request is left without an answer where it is to time out: longer than a try. @units milliseconds */
const NEVER = 30_000;

/** What it can do to a request once it has read it; `take` is what it should. */
export const MOODS = {
  take: (response) => response.writeHead(200).end(),
  "answers 500": (response) => response.writeHead(500).end(),
  "times out": (response) => {
    const late = setTimeout(() => response.destroy(), NEVER);
    response.once("close", () => clearTimeout(late));
  },
  "drops the connection after reading": (response) => response.destroy(),
};

/** What of an event matters: its id, and whose order it is in. */
const essenceOf = ({ id: event, kind, data }) => {
  const about = data.message ?? data.conversation;
  const entity = about?.conversation_id ?? data.user.id;
  return { event, kind, entity, id: kind === "message_create" ? about.messages?.at(-1)?.id : entity };
};

/**
 * @shape `heard(name)`: `[{ event, kind, entity, id }]` of a subscriber since the last `forget`, in the order in which it took them. `mood`: `(essence) => name
 * of a mood`. `between(name, note)` may stand between the wire and the notes.
 */
export const receiver = async () => {
  const notes = new Map();
  const seen = new Map();
  const self = {
    secrets: {},
    mood: () => "take",
    between: (name, one, note) => note(one),
    bad: 0,
    ids: (name) => seen.get(name) ?? new Set(),
    heard: (name) => notes.get(name) ?? [],
    forget() {
      notes.clear();
      seen.clear();
    },
  };
  const note = (name) => (one) => {
    const list = notes.get(name);
    if (list) list.push(one);
    else notes.set(name, [one]);
    const ids = seen.get(name) ?? new Set();
    seen.set(name, ids.add(`${one.kind} ${one.id}`));
  };

  /** The app's way is inside of the product: it tells what it was given, and is always listened to. */
  const take = (name, body, headers, response) => {
    if (name === "app") {
      note(name)(JSON.parse(body));
      return MOODS.take(response);
    }
    const nowSeconds = Math.floor(Date.now() / 1_000);
    if (!verifyWebhook({ headers, body, secret: self.secrets[name], nowSeconds })) {
      self.bad += 1;
      return response.writeHead(401).end();
    }
    const one = essenceOf(JSON.parse(body));
    const mood = self.mood(one);
    if (mood === "take") self.between(name, one, note(name));
    return MOODS[mood](response);
  };

  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () =>
      take(request.url.slice(1), Buffer.concat(chunks).toString("utf8"), request.headers, response),
    );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  self.origin = `http://127.0.0.1:${server.address().port}`;
  self.close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return self;
};
