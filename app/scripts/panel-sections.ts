import type { DecisionLogEntry } from "../../server/lib/decision-log.ts";
import type { NamedEntry, PanelConversation, PanelCustomer, PanelView } from "../../server/lib/panel-view.ts";
import { byId, drawFacts, drawItems, made, setText, show } from "./elements.ts";
import { dayText, drawTime, languageText, statusText } from "./format.ts";

/** Renders the panel's data as text: no content is parsed as HTML. */

export const nameIn = (list: readonly NamedEntry[], id: string | undefined): string =>
  list.find((one) => one.id === id)?.name ?? "";

export const drawCustomer = (customer: PanelCustomer | undefined): void => {
  setText(byId("name"), customer ? customer.name || customer.email || "Unnamed customer" : "A deleted customer");
  const { email = "", phone = "", language, properties = [] } = customer ?? {};
  drawFacts(byId("customer"), [
    { term: "E-mail", text: email, link: `mailto:${encodeURIComponent(email).replaceAll("%40", "@")}` },
    { term: "Phone", text: phone, link: `tel:${phone.replace(/[^\d+]/g, "")}` },
    { term: "Language", text: language ? languageText(language) : "" },
    ...properties.map(({ name, value }) => ({ term: name, text: value })),
    { term: "Known since", text: customer ? dayText(customer.since) : "" },
  ]);
  show(byId("unknown"), customer !== undefined && !email && !phone && !language && properties.length === 0);
};

export const drawConversation = (
  { status, priority, topic_id, group_id }: PanelConversation,
  names: { readonly topics: readonly NamedEntry[]; readonly groups: readonly NamedEntry[]; readonly agent: string },
): void =>
  drawFacts(byId("where"), [
    { term: "Topic", text: nameIn(names.topics, topic_id) },
    { term: "Status", text: statusText(status), look: `status-${status}` },
    { term: "Group", text: group_id ? nameIn(names.groups, group_id) : "None" },
    { term: "Agent", text: names.agent || "Nobody" },
    { term: "Priority", text: priority ?? "", look: priority === "Urgent" ? "urgent-text" : "" },
  ]);

const drawEntries = (list: HTMLElement, entries: readonly DecisionLogEntry[]): void =>
  drawItems(list, entries, {
    key: ({ at }, index) => `${index} ${at}`,
    make: () => {
      const item = made("li");
      item.append(made("p", "what"), made("p", "soft why"), made("time", "soft"));
      return item;
    },
    draw: (item, { at, did, why = "" }) => {
      const [done, reason, time] = [...item.children] as [HTMLElement, HTMLElement, HTMLTimeElement];
      setText(done, did);
      setText(reason, why);
      show(reason, why !== "");
      drawTime(time, at);
    },
  });

/** Newest last, as in the conversation. */
export const drawStory = (did: readonly DecisionLogEntry[]): void => {
  drawEntries(byId("did"), did);
  show(byId("nothing-done"), did.length === 0);
};

export const drawLeads = (leads: readonly DecisionLogEntry[]): void => {
  drawEntries(byId("leads"), leads);
  show(byId("leads-part"), leads.length > 0);
};

export const drawPast = (
  { past, earlier, topics }: Pick<PanelView, "past" | "earlier" | "topics">,
  open: (id: string) => void,
): void => {
  drawItems(byId("past"), past, {
    key: ({ id }) => id,
    make: () => {
      const item = made("li");
      const button = made("button", "choice");
      button.type = "button";
      button.append(made("span", "what"), made("span", "soft state"), made("time", "soft"));
      button.addEventListener("click", () => open(item.dataset["key"] ?? ""));
      item.append(button);
      return item;
    },
    draw: (item, { topic_id, status, began, rating }) => {
      const [topic, state, time] = [...(item.firstElementChild?.children ?? [])] as [
        HTMLElement,
        HTMLElement,
        HTMLTimeElement,
      ];
      setText(topic, nameIn(topics, topic_id) || "A conversation");
      setText(state, [statusText(status), rating === undefined ? "" : `${rating} of 5`].filter(Boolean).join(" · "));
      drawTime(time, began, dayText(began));
    },
  });
  show(byId("no-past"), past.length === 0);
  show(byId("earlier"), earlier > 0);
  setText(byId("earlier"), earlier === 1 ? "And one before these." : `And ${earlier} before these.`);
};
