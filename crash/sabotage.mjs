/** Breaks the product's promises on purpose, by means from outside: the checker must see each. */
import { setTimeout as elapse } from "node:timers/promises";

/** Rows that are lost or doubled, messages that are overtaken. */
const ROWS = 3;
/** How long one is waited for that comes true by what happens. @units milliseconds */
const PATIENCE = 5_000;

/** Some messages that were acknowledged already. */
const victims = async (cast, { round, seed, chance, lanes }) => {
  const names = Array.from({ length: lanes }, (_, lane) => `crash-${seed}-${round}-${lane}`);
  const users = await cast.rows.users(names);
  const conversations = await cast.rows.conversations(users.map(({ id }) => id));
  const messages = await cast.rows.messages(conversations.map(({ id }) => id));
  // Each was sent when the one before it was answered: of the last one that is not known yet.
  const last = new Map(messages.map(({ conversation, id }) => [conversation, id]));
  return chance.some(
    messages.filter(({ conversation, id }) => last.get(conversation) !== id),
    ROWS,
  );
};

/** @shape by name: `(cast, { seed, round, lanes, chance })`, called in the middle of a round; what it may return ends it */
export const SABOTAGE = {
  /** Rows go behind the API. */
  async lost(cast, scene) {
    for (const { id } of await victims(cast, scene)) await cast.rows.lose(id);
  },
  /** Rows stand there twice. */
  async doubled(cast, scene) {
    for (const { id } of await victims(cast, scene)) await cast.rows.double(id);
  },
  /** Something between service and receiver lets messages overtake each other; what is broken next waits until it has begun. */
  async order(cast) {
    const held = new Map();
    let overtaken = 0;
    const usual = cast.receiver.between;
    cast.receiver.between = (name, one, note) => {
      const place = `${name} ${one.entity}`;
      const release = held.get(place);
      held.delete(place);
      if (one.kind === "message_create" && !release) held.set(place, () => note(one));
      else note(one);
      if (release) overtaken += 1;
      release?.();
    };
    for (const end = performance.now() + PATIENCE; overtaken < ROWS && performance.now() < end;) await elapse(5);
    return () => {
      cast.receiver.between = usual;
      for (const release of held.values()) release();
    };
  },
  /** Both services die with events to come, and wake up with cursors that are past them. */
  async undelivered(cast) {
    cast.receiver.mood = () => "answers 500";
    await elapse(300);
    await Promise.all(cast.services.map((each) => each.kill()));
    await cast.rows.forget();
    cast.receiver.mood = () => "take";
    await Promise.all(cast.services.map((each) => each.start()));
  },
};
