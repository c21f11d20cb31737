/** Subscriber of events: a server that records the events that it accepts, and that can be made to reject some. */
import { verify } from "node:crypto";
import { createServer } from "node:http";
import { verifyWebhook } from "../packages/egress/dist/index.js";

/** How long a request stays unanswered that must time out; longer than the sender's timeout. @units milliseconds */
const UNANSWERED_MS = 30_000;

/** Responses to an event, by name of the mode; `take` accepts it. */
export const RESPONSE_MODES = {
  take: (response) => response.writeHead(200).end(),
  "answers 500": (response) => response.writeHead(500).end(),
  "times out": (response) => {
    const late = setTimeout(() => response.destroy(), UNANSWERED_MS);
    response.once("close", () => clearTimeout(late));
  },
  "drops the connection after reading": (response) => response.destroy(),
};

/** The relevant members of an event as an app host receives it: its id, its object, and the conversation or user that orders it. */
const summaryOfEvent = ({ id: event, kind, data }) => {
  const about = data.message ?? data.conversation;
  const entity = about?.conversation_id ?? data.user.id;
  return { event, kind, entity, id: kind === "message_create" ? about.messages?.at(-1)?.id : entity };
};

/** The same members of a webhook delivery. */
const summaryOfDelivery = ({ action, data: { message } }, event) => ({
  event,
  kind: action,
  entity: message.conversation_id,
  id: message.id,
});

/** Verifies the signatures of a request: the HMAC, and the RSA signature when the sender has a public key. */
const isSigned = ({ secret, publicKey }, headers, body) => {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const signature = Buffer.from(headers["x-freshchat-signature"] ?? "", "base64");
  const isByKey = publicKey === undefined || verify("RSA-SHA256", body, publicKey, signature);
  return isByKey && verifyWebhook({ headers, body: body.toString("utf8"), secret, nowSeconds });
};

/**
 * @shape `accepted(name)`: `[{ event, kind, entity, id }]` of a subscriber since the last `forget`, in the order of acceptance. `mode`: `(summary) => name
 * of a mode`. `between(name, note)`: hook between the network and the records.
 */
export const receiver = async () => {
  const notes = new Map();
  const seen = new Map();
  const self = {
    /** Keys that verify requests, by subscriber. */
    senders: {},
    mode: () => "take",
    between: (name, one, note) => note(one),
    unsignedCount: 0,
    ids: (name) => seen.get(name) ?? new Set(),
    accepted: (name) => notes.get(name) ?? [],
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

  /** The app reports the events that it handled. Its reports are always accepted, because its delivery is part of the product. */
  const take = (name, body, headers, response) => {
    if (name === "app") {
      note(name)(JSON.parse(body));
      return RESPONSE_MODES.take(response);
    }
    if (!isSigned(self.senders[name], headers, body)) {
      self.unsignedCount += 1;
      return response.writeHead(401).end();
    }
    const event = JSON.parse(body);
    const one = name === "webhook" ? summaryOfDelivery(event, headers["webhook-id"]) : summaryOfEvent(event);
    const mode = self.mode(one);
    if (mode === "take") self.between(name, one, note(name));
    return RESPONSE_MODES[mode](response);
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
