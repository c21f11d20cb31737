/** Fake of a bot platform: users, conversations, state and messages in memory, with the methods that an integration calls. */
export const startPlatform = (configuration) => {
  const users = [];
  const conversations = [];
  const received = [];
  const state = {};
  const failures = [];
  const named = (list, prefix, found, more) => {
    const old =
      list.find(({ tags }) => tags.id !== undefined && tags.id === found.id) ??
      list.find(({ tags }) => found.email && tags.email === found.email);
    if (old) return old;
    const made = { id: `${prefix}-${list.length + 1}`, tags: { ...found }, ...more };
    list.push(made);
    return made;
  };
  const byId = (list, id) => list.find((one) => one.id === id);
  const client = {
    getUser: async ({ id }) => ({ user: byId(users, id) }),
    getOrCreateUser: async ({ tags, name }) => ({ user: named(users, "user", tags, { name }) }),
    updateUser: async ({ id, tags, ...more }) => {
      const user = byId(users, id);
      Object.assign(user, more, { tags: { ...user.tags, ...tags } });
      return { user };
    },
    getState: async () => ({ state: { payload: state } }),
    setState: async ({ payload }) => void Object.assign(state, payload),
    getConversation: async ({ id }) => ({ conversation: byId(conversations, id) }),
    getOrCreateConversation: async ({ tags }) => ({ conversation: named(conversations, "conversation", tags) }),
    createEvent: async ({ type }) => void received.push(type),
    createMessage: async ({ payload }) => void received.push(payload.items[0].payload.text),
  };
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (text) => failures.push(text),
    error: (text) => failures.push(text),
  };
  return {
    ctx: { configuration, integrationId: "integration", botUserId: "bot" },
    client,
    logger: { forBot: () => log },
    state,
    received,
    failures,
    acknowledged: [],
    user: (id) => byId(users, id),
    userOf: (tag) => users.find(({ tags }) => tags.id === tag),
    conversation: (id) => byId(conversations, id),
  };
};
