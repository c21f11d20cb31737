/** Who hears of events: a server that notes what it takes, and that may be told to behave badly. */
import { verify } from "node:crypto";
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

/** What matters of an event as an app host hears it: its id, what it tells of, and whose order it is in. */
const essenceOfEvent = ({ id: event, kind, data }) => {
  const about = data.message ?? data.conversation;
  const entity = about?.conversation_id ?? data.user.id;
  return { event, kind, entity, id: kind === "message_create" ? about.messages?.at(-1)?.id : entity };
};

/** The same of a delivery to a webhook. */
const essenceOfDelivery = ({ action, data: { message } }, event) => ({
  event,
  kind: action,
  entity: message.conversation_id,
  id: message.id,
});

/** Whether a request is signed as it should be, in both ways where there are two. */
const isSigned = ({ secret, publicKey }, headers, body) => {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const signature = Buffer.from(headers["x-freshchat-signature"] ?? "", "base64");
  const isByKey = publicKey === undefined || verify("RSA-SHA256", body, publicKey, signature);
  return isByKey && verifyWebhook({ headers, body: body.toString("utf8"), secret, nowSeconds });
};

/**
 * @shape `heard(name)`: `[{ event, kind, entity, id }]` of a subscriber since the last `forget`, in the order in which it took them. `mood`: `(essence) => name
 * of a mood`. `between(name, note)` may stand between the wire and the notes.
 */
export const receiver = async () => {
  const notes = new Map();
  const seen = new Map();
  const self = {
    /** By name: with what requests are signed. */
    senders: {},
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
    if (!isSigned(self.senders[name], headers, body)) {
      self.bad += 1;
      return response.writeHead(401).end();
    }
    const said = JSON.parse(body);
    const one = name === "webhook" ? essenceOfDelivery(said, headers["webhook-id"]) : essenceOfEvent(said);
    const mood = self.mood(one);
    if (mood === "take") self.between(name, one, note(name));
    return MOODS[mood](response);
  };

  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => take(request.url.slice(1), Buffer.concat(chunks), request.headers, response));
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
