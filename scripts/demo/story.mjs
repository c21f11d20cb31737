/** The script of the demo. Everything in it is fictional. */

/** Host name of the business's own system in Concierge's settings. */
export const OUTSIDE = "crm.acme.example.com";

export const SETTINGS = {
  business_phone: "+12025550100",
  rules:
    "keyword refund, money back => group Billing; priority High\ndomain bigclient.example => group Sales; priority Urgent",
  after_hours: true,
  hours: "Mon-Fri 09:00-17:00",
  holidays: "2026-01-06 Epiphany",
  queue_group: "Support",
  follow_up: true,
  nudge_hours: 2,
  resolve_hours: 3,
  escalation_group: "Returns",
  sync_in: true,
  outbound_events: "order.shipped => order_update (en): {{user.first_name}}, {{data.number}}",
  outbound_from: "+12025550100",
  outbound_namespace: "acme_shop",
  sync_out: true,
  sync_url: `https://${OUTSIDE}/hooks/concierge`,
  sync_secret: "the secret of the demo",
  digest: true,
  digest_hour: "08:00",
  digest_to: "The other system",
};

const FULL_PAGE = { query: { items_per_page: 100 } };

/**
 * Plays the script.
 * @param isOver whether the demo was ended
 */
export async function play(w, out, isOver) {
  const { agent } = await out.begin();
  const { channels } = await w.api.channels.listChannels(FULL_PAGE);
  let now = new Date("2026-01-05T09:00:00Z");
  const printNews = async () => {
    await w.settled();
    if (isOver()) throw new Error("The demo was ended.");
    await out.printNews(now);
  };
  const message = (actor_type, actor_id, content) => ({ actor_type, actor_id, message_parts: [{ text: { content } }] });
  const at = async (time, text) => {
    now = new Date(time);
    await w.clock.set(now);
    const clock = `${now.toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" })} ${time.slice(11, 16)}`;
    await out.chapter(clock, text);
    await printNews();
  };
  const speak = async (conversation_id, body) => {
    await w.api.messages.createMessage({ params: { conversation_id }, body });
    await printNews();
  };
  /** A customer starts a conversation. */
  const begins = async (user, topic, says) => {
    const { id } = user.id ? user : await w.api.users.createUser({ body: user });
    const { conversation_id } = await w.api.conversations.createConversation({
      body: {
        channel_id: channels.find(({ name }) => name === topic)?.id ?? channels[0].id,
        users: [{ id }],
        messages: [message("user", id, says)],
      },
    });
    out.follow(conversation_id, user.first_name);
    await printNews();
    const change = async (body) => {
      await w.api.conversations.updateConversation({ params: { conversation_id }, body });
      await printNews();
    };
    return {
      user: { ...user, id },
      conversation_id,
      says: (content) => speak(conversation_id, message("user", id, content)),
      isAnswered: (content) => speak(conversation_id, message("agent", agent, content)),
      isTaken: () => change({ status: "assigned", assigned_agent_id: agent }),
      isResolved: () => change({ status: "resolved" }),
    };
  };

  await at("2026-01-05T09:00:00Z", "The shop opens. Ada writes: she is greeted, and chooses from the menu.");
  const ada = await begins({ first_name: "Ada" }, channels[0].name, "Hello!");
  await ada.says("I need help with my order");

  await at("2026-01-05T09:06:00Z", "Ada leaves an address: it is kept when she agrees, and told to the CRM.");
  await ada.says("You can reach me at ada@customer.example or 202 555 0101.");
  await ada.says("Yes, keep it");

  await at("2026-01-05T09:12:00Z", "Ben wants his money back: a rule knows where that belongs.");
  const ben = await begins({ first_name: "Ben" }, channels[0].name, "I'd like a refund for the lamp, please.");
  await ben.isTaken();
  await ben.isAnswered("Of course, Ben. It is on its way back to you.");

  await at("2026-01-05T09:20:00Z", "Ben's conversation is resolved: he is asked how it went, and is happy.");
  await ben.isResolved();
  await ben.says("5");

  await at("2026-01-05T09:27:00Z", "Cleo's is resolved too, and she is not: it is open again at once, urgently.");
  const cleo = await begins({ first_name: "Cleo" }, channels[0].name, "My parcel is lost.");
  await cleo.isTaken();
  await cleo.isResolved();
  await cleo.says("1");

  await at("2026-01-05T09:35:00Z", "The shop's system tells that Ada's order has left: she gets a template message.");
  await shipped(w, out, { id: "shop-1041", number: "1041", phone: "+12025550101", printNews });

  await at("2026-01-05T09:40:00Z", "Dan asks something, gets an answer, and says no more.");
  const dan = await begins({ first_name: "Dan" }, channels[0].name, "Is there a blue one?");
  await dan.isAnswered("There is. Shall we put it aside for you?");
  await at("2026-01-05T11:45:00Z", "Two hours later he is asked once more.");
  await at("2026-01-05T14:50:00Z", "Three hours after that the conversation is resolved.");

  await at("2026-01-05T16:30:00Z", "Ada is back: she is greeted by name.");
  await begins(ada.user, channels[0].name, "Hello again");

  await at(
    "2026-01-05T19:10:00Z",
    "The shop is closed, and tomorrow is a holiday. Eve is told so, and waits in the queue.",
  );
  await begins({ first_name: "Eve" }, channels[0].name, "Anybody there?");

  await at("2026-01-06T08:05:00Z", "In the morning the owner's system gets the report of the day before.");
  await at("2026-01-07T09:05:00Z", "The shop opens again: Eve is taken up, and told.");
}

/** The shop reports a shipped order to Concierge's external event address. */
async function shipped(w, out, { id, number, phone, printNews }) {
  const body = { id, event: "order.shipped", user: { phone, first_name: "Ada" }, data: { number } };
  const { agents } = await w.api.agents.listAgents(FULL_PAGE);
  const shown = await w.function("panelAddress", { agent: { id: agents[0].id }, now: "2026-01-05T09:35:00.000Z" });
  const address = shown.output?.address ?? shown.output?.data?.address;
  if (address) {
    const reply = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await out.line(`The shop posts ${JSON.stringify(body)}: ${reply.status}`);
  }
  await printNews();
  const { outbound_messages: sent } = await w.api.outbound.listOutboundMessages({ query: { items_per_page: 1 } });
  for (const one of sent) await out.line(`Template message to ${one.to?.[0]?.phone_number ?? phone}: ${one.status}`);
}
