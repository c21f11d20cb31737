/** Customers who have written, for the pictures of the console. */

const CUSTOMERS = [
  { name: ["Sam", "Rivera"], says: "Where is my parcel? It should have arrived on Monday.", priority: "High" },
  { name: ["Ines", "Duarte"], says: "I was charged twice for order 4711.", priority: "Urgent" },
  {
    name: ["Jonas", "Berg"],
    says: "Can I change the size of the jacket that I ordered?",
    priority: "Medium",
    isAnswered: true,
  },
  { name: ["Priya", "Nair"], says: "Does the warranty cover water damage?", priority: "Low" },
  { name: ["Léa", "Martin"], says: "Bonjour, je voudrais retourner un article.", priority: "Medium" },
  { name: ["Tom", "Becker"], says: "The link to my invoice does not work.", priority: "Low", isAnswered: true },
  { name: ["Yuki", "Tanaka"], says: "Do you ship the rain jacket to Japan?", priority: "Low" },
  { name: ["Omar", "Haddad"], says: "Please call me back about my delivery.", priority: "Urgent" },
  { name: ["Nina", "Rossi"], says: "How do I reset my password?", priority: "Low", isAnswered: true },
  { name: ["Carl", "Lund"], says: "I'd like a quote for 200 jackets.", priority: "High" },
  { name: ["Mei", "Chen"], says: "Which jacket is warmer, the Alpine or the Coast?", priority: "Medium" },
];

const text = (content) => ({ text: { content } });

/** Messages of the conversation that the pictures show. */
const answersOf = (agent, customer) => [
  {
    actor_type: "agent",
    actor_id: agent,
    message_parts: [text("Hello Mei! Both are waterproof. Here they are side by side:")],
  },
  {
    actor_type: "bot",
    message_parts: [text("Choose one to see its sizes.")],
    reply_parts: [
      {
        collection: {
          sub_parts: [{ quick_reply_button: { label: "Alpine" } }, { quick_reply_button: { label: "Coast" } }],
        },
      },
    ],
  },
  { actor_type: "user", actor_id: customer, message_parts: [text("Alpine. Do you have it in green?")] },
  {
    ...{ actor_type: "agent", actor_id: agent, message_type: "private" },
    message_parts: [text("Green arrives on Friday. She returned a blue one in May: offer free shipping.")],
  },
  {
    ...{ actor_type: "agent", actor_id: agent },
    message_parts: [
      text("Green is back on Friday, and the shipping is on us. The size table is attached."),
      {
        file: {
          name: "sizes.pdf",
          url: "https://files.example/sizes.pdf",
          file_size_in_bytes: 182_344,
          content_type: "application/pdf",
        },
      },
    ],
  },
  { actor_type: "user", actor_id: customer, message_parts: [text("Perfect, thanks a lot!")] },
];

/** Fills an account. -> id of the conversation that the pictures show */
export const fillAccount = async ({ service, token }) => {
  const call = async (method, path, body) => {
    const response = await fetch(service + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { channels } = await call("GET", "/channels");
  const { agents } = await call("GET", "/agents?is_deactivated=false");
  let last;
  for (const [index, { name, says, priority, isAnswered = false }] of CUSTOMERS.entries()) {
    const [first_name, last_name] = name;
    const user = await call("POST", "/users", {
      ...{ first_name, last_name, email: `${first_name}.${last_name}@customer.example`.toLowerCase() },
      phone: `+4930123456${index}`,
      properties: [{ name: "plan", value: "business" }],
    });
    const { conversation_id } = await call("POST", "/conversations", {
      channel_id: channels[index % channels.length].id,
      users: [{ id: user.id }],
      properties: { priority },
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [text(says)] }],
    });
    const agent = agents[index % agents.length].id;
    const path = `/conversations/${conversation_id}`;
    if (isAnswered) {
      await call("PUT", path, { status: "assigned", assigned_agent_id: agent });
      const message_parts = [text("Hello! Let me check that for you.")];
      await call("POST", `${path}/messages`, { actor_type: "agent", actor_id: agent, message_parts });
    }
    last = { id: conversation_id, agent, customer: user.id };
  }
  await call("PUT", `/conversations/${last.id}`, { status: "assigned", assigned_agent_id: last.agent });
  for (const message of answersOf(last.agent, last.customer))
    await call("POST", `/conversations/${last.id}/messages`, message);
  return last.id;
};
