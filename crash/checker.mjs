/** Compares the acknowledged writes with the rows of the database and with the events that subscribers received. Pure: no clock, no I/O. */

/** Maximum number of examples shown for each kind of fault. */
const MAX_EXAMPLES = 5;

const grouped = (list, keyOf) => {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};

/** Kinds of rows, with the event that announces each. */
const EVENTS = { user: "user_create", conversation: "conversation_create", message: "message_create" };

/** Kinds of rows whose events each subscriber receives. */
const KINDS_BY_SUBSCRIBER = {
  webhook: ["message"],
  receiver: ["user", "conversation", "message"],
  app: ["conversation", "message"],
};

/** -> the events that a subscriber must receive: one for every row, acknowledged or not */
export const expectedOf = (rows, subscriber) =>
  KINDS_BY_SUBSCRIBER[subscriber].flatMap((sort) => rows[`${sort}s`].map(({ id }) => `${EVENTS[sort]} ${id}`));

/** Number of positions that are lower than an earlier position. */
const countOutOfOrder = (positions) => {
  let furthest = -Infinity;
  let count = 0;
  for (const position of positions) {
    if (position < furthest) count += 1;
    else furthest = position;
  }
  return count;
};

/**
 * @shape written: the result of `writeAll`. rows: `{ users: [{id, text}], conversations: [{id, user_id}], messages: [{id, conversation, seq, text}] }`.
 * deliveries: `[{ name, expected, notes: [{ event, kind, entity, id }] }]`, one for each subscriber.
 * -> `{ lost, doubled, outOfOrder, undelivered, examples }`
 */
export const check = ({ written, rows, deliveries }) => {
  const counts = { lost: 0, doubled: 0, outOfOrder: 0, undelivered: 0 };
  const examples = [];
  const fault = (sort, text, count = 1) => {
    if (count === 0) return;
    counts[sort] += count;
    if (examples.filter((each) => each.sort === sort).length < MAX_EXAMPLES) examples.push({ sort, text });
  };

  const ids = new Set([...rows.users, ...rows.conversations, ...rows.messages].map(({ id }) => id));
  const texts = new Set([...rows.users, ...rows.messages].map(({ text }) => text));
  for (const { writes } of written)
    for (const { kind, text, id, answers } of writes) {
      // The response to a new conversation has no id of its first message.
      const isThere = id === undefined || (ids.has(id) && texts.has(text));
      if (!isThere) fault("lost", `${kind} ${id} (${text}) was acknowledged and is missing`);
      if (answers.length > 1) fault("doubled", `${kind} ${text} has several ids: ${answers.join(", ")}`);
    }

  for (const [text, group] of grouped([...rows.users, ...rows.messages], (row) => row.text))
    fault("doubled", `${text} exists ${group.length} times`, group.length - 1);
  for (const [user, group] of grouped(rows.conversations, (row) => row.user_id))
    fault("doubled", `user ${user} has ${group.length} conversations`, group.length - 1);

  const seqs = new Map(rows.messages.map(({ id, seq }) => [id, seq]));
  for (const { id, writes } of written) {
    // Each message was sent after the response to the previous message.
    const acknowledged = writes.filter((write) => write.kind === "message" && write.id !== undefined);
    const places = acknowledged.map((write) => seqs.get(write.id)).filter((seq) => seq !== undefined);
    fault("outOfOrder", `conversation ${id}: messages are out of order`, countOutOfOrder(places));
  }

  for (const { name, expected, notes } of deliveries) {
    const taken = new Set(notes.map(({ kind, id }) => `${kind} ${id}`));
    for (const one of expected) if (!taken.has(one)) fault("undelivered", `${name} never received ${one}`);

    for (const [what, group] of grouped(notes, ({ kind, id }) => `${kind} ${id}`)) {
      const events = new Set(group.map(({ event }) => event)).size;
      fault("doubled", `${name} received ${what} with ${events} event ids`, events - 1);
    }
    for (const [entity, group] of grouped(notes, (note) => note.entity)) {
      // Receivers drop redelivered events, so only the first delivery counts.
      const firsts = new Map(group.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }]));
      const places = [...firsts.values()].map(({ kind, id }) => (kind === EVENTS.message ? seqs.get(id) : -1));
      fault(
        "outOfOrder",
        `${name} received events of ${entity} out of order`,
        countOutOfOrder(places.filter((seq) => seq !== undefined)),
      );
    }
  }
  return { ...counts, examples };
};
