import type { Channel, Conversation, ConversationChange, Group, Message, NewMessage } from "@parley/contract";
import type { RequestFailure, RequestMethod, RequestOptions } from "@parley/framework/sdk";

/** An answer, or a refusal that asking again won't change. */
export type Reply<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly status: string };

/** Other failures pass or are the admin's to mend: they are thrown, so that the event comes again. */
const FINAL = [400, 404];
/** Enough for an account's groups and topics, and for a conversation of 2000 messages. */
const MOST_PAGES = 40;

/** What a list says besides its items. */
interface Listed {
  readonly links?: { readonly next_page?: unknown };
}
const isLastOfList = ({ links }: Listed): boolean => !links?.next_page;

/** -> the problem's token, "" when the answer is not the messaging API's */
const tokenIn = (response: string): string => {
  try {
    const { status } = JSON.parse(response) as { readonly status?: unknown };
    return typeof status === "string" ? status : "";
  } catch {
    return "";
  }
};

/** Words of the framework for a request that it could not make; anything else might tell of a customer. */
const PLAIN = /^[\w ,.'/-]{1,80}$/;

/** What a rejection says, whatever it is. */
const failureOf = (error: unknown) => {
  const { status = 0, response = "", message = "" } = (error ?? {}) as Partial<RequestFailure & Error>;
  const token = tokenIn(response);
  return { status, token, reason: token || [response, message].find((text) => PLAIN.test(text)) || "no reason given" };
};

/** The calls that Concierge makes, by the templates of config/requests.json; from a handler and from the installation page. */
export const account = (request: RequestMethod) => {
  const ask = async <T>(template: string, options: RequestOptions): Promise<Reply<T>> => {
    const answer = await request.invokeTemplate(template, options).then(
      ({ response }) => ({ response }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    if ("response" in answer) return { ok: true, body: JSON.parse(answer.response) as T };
    const { status, token, reason } = answer.failure;
    if (FINAL.includes(status) && token) return { ok: false, status: token };
    // Without the rejection itself: it holds what was answered, and the host prints errors.
    throw new Error(`The request ${template} failed${status ? ` with ${status}` : ""}: ${reason}.`);
  };
  const page = async <T>(template: string, options: RequestOptions): Promise<T> => {
    const reply = await ask<T>(template, options);
    if (!reply.ok) throw new Error(`The request ${template} was refused with ${reply.status}.`);
    return reply.body;
  };
  async function* pages<T>(template: string, context: Record<string, string>, isLast: (body: T) => boolean) {
    for (let number = 1; number <= MOST_PAGES; number++) {
      const body = await page<T>(template, { context: { ...context, page: number } });
      yield body;
      if (isLast(body)) return;
    }
    throw new Error(`The request ${template} has more than ${MOST_PAGES} pages.`);
  }

  return {
    async groups(): Promise<Group[]> {
      const groups: Group[] = [];
      for await (const body of pages<Listed & { groups: Group[] }>("listGroups", {}, isLastOfList))
        groups.push(...body.groups);
      return groups;
    },
    async channels(): Promise<Channel[]> {
      const channels: Channel[] = [];
      for await (const body of pages<Listed & { channels: Channel[] }>("listChannels", {}, isLastOfList))
        channels.push(...body.channels);
      return channels;
    },
    /** Tells whether the conversation holds such a message, looking from the newest to the oldest. */
    async hasMessage(conversation_id: string, isIt: (message: Message) => boolean): Promise<boolean> {
      const lists = pages<{ messages: Message[]; link?: unknown }>(
        "getMessages",
        { conversation_id },
        ({ link }) => !link,
      );
      for await (const { messages } of lists) if (messages.some(isIt)) return true;
      return false;
    },
    conversation: (conversation_id: string) => ask<Conversation>("getConversation", { context: { conversation_id } }),
    send: (conversation_id: string, message: NewMessage) =>
      ask<Message>("sendMessage", { context: { conversation_id }, body: JSON.stringify(message) }),
    change: (conversation_id: string, change: ConversationChange) =>
      ask<Conversation>("updateConversation", { context: { conversation_id }, body: JSON.stringify(change) }),
  };
};
export type Account = ReturnType<typeof account>;
