import type { FrontConversation, FrontSummary, Message, MessagePart } from "@parley/contract";

/** Renders lists and conversations as text: no content is parsed as HTML. */

const createElement = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = "",
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name);
  if (className !== "") element.className = className;
  if (text !== "") element.textContent = text;
  return element;
};

const timeElement = (time: string): HTMLTimeElement => {
  const element = createElement("time", "", "");
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return element;
  element.dateTime = time;
  element.textContent = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  element.title = date.toLocaleString();
  return element;
};

const fullName = (
  person: { first_name?: string | undefined; last_name?: string | undefined; email?: string | undefined } | undefined,
) => [person?.first_name, person?.last_name].filter(Boolean).join(" ") || person?.email || "";

const authorOf = ({ actor_type, actor_id, meta_data }: Message, { user, agents }: FrontConversation): string => {
  if (actor_type === "user") return fullName(user) || "Customer";
  const name = meta_data?.["bot_name"];
  if (actor_type === "bot") return typeof name === "string" && name.trim() !== "" ? name : "Bot";
  if (actor_type === "system") return "System";
  return fullName(agents.find(({ id }) => id === actor_id)) || "Agent";
};

const link = (address: string | undefined, label: string): HTMLElement => {
  if (!address || !/^https?:\/\//i.test(address)) return createElement("p", "", label);
  const anchor = createElement("a", "", label);
  anchor.href = address;
  anchor.target = "_blank";
  anchor.rel = "noopener noreferrer";
  return anchor;
};

const partView = (part: MessagePart): HTMLElement[] => {
  if (part.text) return [createElement("p", "text", part.text.content)];
  if (part.image) return [link(part.image.url, "Image")];
  if (part.video) return [link(part.video.url, "Video")];
  if (part.file) return [link(part.file.url, part.file.name ?? "File")];
  if (part.url_button) return [link(part.url_button.url, part.url_button.label)];
  if (part.quick_reply_button) return [createElement("span", "choice-label", part.quick_reply_button.label)];
  if (part.callback) return [createElement("span", "choice-label", part.callback.label)];
  if (part.collection) return part.collection.sub_parts.flatMap(partView);
  if (part.template_content) return part.template_content.sections.flatMap(({ parts }) => parts.flatMap(partView));
  return [];
};

const messageView = (message: Message, conversation: FrontConversation): HTMLLIElement => {
  const item = createElement("li", `message ${message.actor_type}${message.message_type === "private" ? " note" : ""}`);
  const head = createElement("p", "by", authorOf(message, conversation));
  if (message.message_type === "private") head.append(" · private note");
  head.append(" ", timeElement(message.created_time));
  item.append(head, ...message.message_parts.flatMap(partView));
  const choices = (message.reply_parts ?? []).flatMap(partView);
  if (choices.length > 0) {
    const offered = createElement("div", "choices-offered");
    offered.append(...choices);
    item.append(offered);
  }
  return item;
};

/** Renders the messages. The view stays at the end if it was there. */
export const drawMessages = (log: HTMLElement, conversation: FrontConversation | undefined): void => {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  log.firstElementChild?.replaceChildren(
    ...(conversation?.messages.map((message) => messageView(message, conversation)) ?? []),
  );
  if (atEnd) log.scrollTop = log.scrollHeight;
};

/** Renders the list. The button of a conversation that stays in the list keeps the focus. */
export const drawList = (
  list: HTMLElement,
  conversations: readonly FrontSummary[],
  open: string | undefined,
  choose: (id: string) => void,
): void => {
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset["conversation"] : undefined;
  list.replaceChildren(
    ...conversations.map(({ id, name, topic, text, status, time }) => {
      const item = createElement("li", "");
      const button = createElement("button", "conversation-row");
      button.type = "button";
      button.dataset["conversation"] = id;
      if (id === open) button.setAttribute("aria-current", "true");
      const head = createElement("span", "row-head");
      head.append(createElement("strong", "", name || "Unnamed customer"), timeElement(time));
      const foot = createElement("span", "row-foot");
      foot.append(
        createElement("span", `row-state status-${status}`, status),
        createElement("span", "row-topic", topic),
      );
      button.append(head, createElement("span", "row-text", text), foot);
      button.addEventListener("click", () => choose(id));
      item.append(button);
      return item;
    }),
  );
  if (focused !== undefined) list.querySelector<HTMLElement>(`[data-conversation="${CSS.escape(focused)}"]`)?.focus();
};

export const customerOf = ({ user }: FrontConversation): string => fullName(user) || "Unnamed customer";
