/** Prints the events of the demo as a transcript. */
import { styleText } from "node:util";
import { setTimeout as wait } from "node:timers/promises";

const isTerminal = process.stdout.isTTY && !process.env.NO_COLOR;
const styled = (style, text) => (isTerminal ? styleText(style, text) : text);
const MARGIN = " ".repeat(7);
const WIDTH = 100;

/** Wraps a text, with `first` before its first line and `others` before the others. */
const wrapped = (text, first, others = first) => {
  const lines = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line && line.length + word.length + 1 > WIDTH) {
        lines.push(line);
        line = "";
      }
      line = line ? `${line} ${word}` : word;
    }
    lines.push(line);
  }
  return lines.map((line, index) => (index === 0 ? first : others) + line).join("\n");
};

const contentOf = ({ message_parts }) => message_parts.flatMap(({ text }) => (text ? [text.content] : [])).join("\n");
/** Labels of the quick replies of a message. */
const choicesOf = ({ reply_parts = [] }) => {
  const found = [];
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    if (value.quick_reply_button) found.push(value.quick_reply_button.label);
    else Object.values(value).forEach(visit);
  };
  visit(reply_parts);
  return found;
};

/** Summary of a webhook: the text of a report, otherwise the event and the customer. */
const shortOf = (body) => {
  const { id, event, report, user, rating } = JSON.parse(body);
  if (report?.text) return report.text;
  const about = [user?.first_name, rating && `${rating.points} of 5`].filter(Boolean).join(", ");
  return `${event}${about && `: ${about}`} (${id})`;
};

/** @param webhooks webhooks that the business's own system has received */
export function transcript(w, webhooks, { pause }) {
  const conversations = new Map();
  let printedWebhooks = 0;
  let groups = new Map();
  let agents = new Map();
  let agent;
  const print = async (line) => {
    console.log(line);
    if (pause > 0) await wait(pause);
  };

  const showMessage = async (name, message) => {
    const { actor_type, actor_id, message_type } = message;
    const content = contentOf(message);
    if (!content) return;
    if (message_type === "private")
      return print(styled("yellow", wrapped(content, `${MARGIN}(note for agents) `, `${MARGIN}  `)));
    const who = {
      user: styled("bold", name),
      bot: styled("cyan", "Concierge"),
      agent: styled("green", agents.get(actor_id) ?? "Agent"),
    };
    await print(wrapped(content, `${MARGIN}${who[actor_type] ?? actor_type}: `, `${MARGIN}  `));
    const choices = choicesOf(message);
    if (choices.length > 0) await print(`${MARGIN}  ${choices.map((label) => styled("cyan", `[${label}]`)).join(" ")}`);
  };
  const stateOf = ({ status, assigned_group_id, assigned_agent_id, properties = {} }) =>
    [
      status,
      assigned_group_id && `group ${groups.get(assigned_group_id)}`,
      assigned_agent_id && `agent ${agents.get(assigned_agent_id)}`,
      properties.priority && `priority ${properties.priority}`,
    ]
      .filter(Boolean)
      .join(", ");

  const showConversation = async (id, shown, now) => {
    const params = { conversation_id: id };
    const { messages } = await w.api.messages.listMessages({ params, query: { items_per_page: 50 } });
    for (const message of messages.toReversed().filter((one) => !shown.messages.has(one.id))) {
      shown.messages.add(message.id);
      await showMessage(shown.name, message);
    }
    // Entries of the history that the agent's panel shows.
    const view = await w.function("panelView", { conversation_id: id, agent, now: now.toISOString() });
    for (const { at, did, why } of view.output?.did ?? view.output?.data?.did ?? []) {
      const key = `${at} ${did}`;
      if (shown.did.has(key)) continue;
      shown.did.add(key);
      await print(styled("dim", wrapped(`${did}${why ? ` ${why}` : ""}`, `${MARGIN}· Concierge: `, `${MARGIN}  `)));
    }
    const state = stateOf(await w.api.conversations.getConversation({ params }));
    if (state !== shown.state) await print(styled("dim", `${MARGIN}· the conversation: ${state}`));
    shown.state = state;
  };

  return {
    async begin() {
      const many = { query: { items_per_page: 100 } };
      groups = new Map((await w.api.groups.listGroups(many)).groups.map(({ id, name }) => [id, name]));
      const { agents: all } = await w.api.agents.listAgents(many);
      agents = new Map(all.map(({ id, first_name }) => [id, first_name]));
      [agent] = all.map(({ id, first_name, last_name }) => ({ id, first_name, last_name }));
      return { agent: agent.id };
    },
    /** Includes a conversation in the transcript from now on. */
    follow(id, name) {
      conversations.set(id, { name, messages: new Set(), did: new Set(), state: "new" });
    },
    async chapter(time, text) {
      await print(`\n${styled("bold", time)}  ${styled("bold", text)}`);
    },
    line: (text) => print(`${MARGIN}${text}`),
    /** Prints everything that has happened since the last call. */
    async printNews(now) {
      for (const [id, shown] of conversations) await showConversation(id, shown, now);
      for (const { body } of webhooks.slice(printedWebhooks))
        await print(styled("magenta", wrapped(shortOf(body), `${MARGIN}→ to the shop's CRM: `, `${MARGIN}    `)));
      printedWebhooks = webhooks.length;
    },
  };
}
