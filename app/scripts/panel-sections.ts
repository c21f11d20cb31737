import type { DecisionLogEntry } from "../../server/lib/decision-log.ts";
import type { NamedEntry, PanelConversation, PanelCustomer, PanelView } from "../../server/lib/panel-view.ts";
import { byId, drawDescriptions, drawItems, createElement, setText, show } from "./elements.ts";
import { formatDay, drawTime, formatLanguage, formatStatus } from "./format.ts";

/** Renders the panel's data as text: no content is parsed as HTML. */

const nameOfId = (list: readonly NamedEntry[], id: string | undefined): string =>
  list.find((one) => one.id === id)?.name ?? "";

export const drawCustomer = (customer: PanelCustomer | undefined): void => {
  setText(byId("name"), customer ? customer.name || customer.email || "Unnamed customer" : "A deleted customer");
  const { email = "", phone = "", language, properties = [] } = customer ?? {};
  drawDescriptions(byId("customer"), [
    { term: "E-mail", text: email, link: `mailto:${encodeURIComponent(email).replaceAll("%40", "@")}` },
    { term: "Phone", text: phone, link: `tel:${phone.replace(/[^\d+]/g, "")}` },
    { term: "Language", text: language ? formatLanguage(language) : "" },
    ...properties.map(({ name, value }) => ({ term: name, text: value })),
    { term: "Known since", text: customer ? formatDay(customer.since) : "" },
  ]);
  show(byId("unknown"), customer !== undefined && !email && !phone && !language && properties.length === 0);
};

export const drawConversation = (
  { status, priority, topic_id, group_id }: PanelConversation,
  names: { readonly topics: readonly NamedEntry[]; readonly groups: readonly NamedEntry[]; readonly agent: string },
): void =>
  drawDescriptions(byId("conversation"), [
    { term: "Topic", text: nameOfId(names.topics, topic_id) },
    { term: "Status", text: formatStatus(status), className: `status-${status}` },
    { term: "Group", text: group_id ? nameOfId(names.groups, group_id) : "None" },
    { term: "Agent", text: names.agent || "Nobody" },
    { term: "Priority", text: priority ?? "", className: priority === "Urgent" ? "urgent-text" : "" },
  ]);

const drawEntries = (list: HTMLElement, entries: readonly DecisionLogEntry[]): void =>
  drawItems(list, entries, {
    key: ({ at }, index) => `${index} ${at}`,
    make: () => {
      const item = createElement("li");
      item.append(createElement("p", "what"), createElement("p", "muted why"), createElement("time", "muted"));
      return item;
    },
    draw: (item, { at, did, why = "" }) => {
      const [actionElement, reasonElement, time] = [...item.children] as [HTMLElement, HTMLElement, HTMLTimeElement];
      setText(actionElement, did);
      setText(reasonElement, why);
      show(reasonElement, why !== "");
      drawTime(time, at);
    },
  });

/** Newest last, as in the conversation. */
export const drawDecisionLog = (did: readonly DecisionLogEntry[]): void => {
  drawEntries(byId("decision-log"), did);
  show(byId("no-decisions"), did.length === 0);
};

export const drawLeads = (leads: readonly DecisionLogEntry[]): void => {
  drawEntries(byId("leads"), leads);
  show(byId("leads-section"), leads.length > 0);
};

export const drawPast = (
  { past, earlier, topics }: Pick<PanelView, "past" | "earlier" | "topics">,
  openConversation: (id: string) => void,
): void => {
  drawItems(byId("past"), past, {
    key: ({ id }) => id,
    make: () => {
      const item = createElement("li");
      const button = createElement("button", "choice");
      button.type = "button";
      button.append(
        createElement("span", "what"),
        createElement("span", "muted state"),
        createElement("time", "muted"),
      );
      button.addEventListener("click", () => openConversation(item.dataset["key"] ?? ""));
      item.append(button);
      return item;
    },
    draw: (item, { topic_id, status, began, rating }) => {
      const [topic, state, time] = [...(item.firstElementChild?.children ?? [])] as [
        HTMLElement,
        HTMLElement,
        HTMLTimeElement,
      ];
      setText(topic, nameOfId(topics, topic_id) || "A conversation");
      setText(state, [formatStatus(status), rating === undefined ? "" : `${rating} of 5`].filter(Boolean).join(" · "));
      drawTime(time, began, formatDay(began));
    },
  });
  show(byId("no-past"), past.length === 0);
  show(byId("earlier"), earlier > 0);
  setText(byId("earlier"), earlier === 1 ? "And one before these." : `And ${earlier} before these.`);
};
