/** Breaks the guarantees on purpose, from outside the product: the checker must detect each violation. */
import { setTimeout as elapse } from "node:timers/promises";

/** Number of rows that are deleted or copied, or of messages that are overtaken. */
const AFFECTED_ROWS = 3;
/** How long to wait for overtaken messages. @units milliseconds */
const OVERTAKE_TIMEOUT_MS = 5_000;

/** Random acknowledged messages of the round. */
const victims = async (cluster, { round, seed, random, lanes }) => {
  const names = Array.from({ length: lanes }, (_, lane) => `crash-${seed}-${round}-${lane}`);
  const users = await cluster.rows.users(names);
  const conversations = await cluster.rows.conversations(users.map(({ id }) => id));
  const messages = await cluster.rows.messages(conversations.map(({ id }) => id));
  // The last message of each conversation may not be acknowledged yet.
  const last = new Map(messages.map(({ conversation, id }) => [conversation, id]));
  return random.some(
    messages.filter(({ conversation, id }) => last.get(conversation) !== id),
    AFFECTED_ROWS,
  );
};

/** @shape by name: `(cluster, { seed, round, lanes, random })`, called in the middle of a round; may return a function that ends it */
export const SABOTAGE = {
  /** Deletes rows behind the API. */
  async lost(cluster, round) {
    for (const { id } of await victims(cluster, round)) await cluster.rows.lose(id);
  },
  /** Inserts copies of rows. */
  async doubled(cluster, round) {
    for (const { id } of await victims(cluster, round)) await cluster.rows.double(id);
  },
  /** Lets messages overtake each other between service and receiver. Resolves when that has begun. */
  async order(cluster) {
    const held = new Map();
    let overtaken = 0;
    const usual = cluster.receiver.between;
    cluster.receiver.between = (name, one, note) => {
      const place = `${name} ${one.entity}`;
      const release = held.get(place);
      held.delete(place);
      if (one.kind === "message_create" && !release) held.set(place, () => note(one));
      else note(one);
      if (release) overtaken += 1;
      release?.();
    };
    for (const end = performance.now() + OVERTAKE_TIMEOUT_MS; overtaken < AFFECTED_ROWS && performance.now() < end;)
      await elapse(5);
    return () => {
      cluster.receiver.between = usual;
      for (const release of held.values()) release();
    };
  },
  /** Kills both services while events are pending, and moves the cursors to the end of the log before they restart. */
  async undelivered(cluster) {
    cluster.receiver.mode = () => "answers 500";
    await elapse(300);
    await Promise.all(cluster.services.map((each) => each.kill()));
    await cluster.rows.forget();
    cluster.receiver.mode = () => "take";
    await Promise.all(cluster.services.map((each) => each.start()));
  },
};
