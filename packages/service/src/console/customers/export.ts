import type { User } from "@parley/contract";
import { toApiConversation } from "../../messaging/conversations/conversation.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { VisitorPageStore } from "../../messaging/visitor-pages/store.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";
import type { CustomerStore } from "./store.ts";

interface ExportDeps {
  readonly store: Pick<CustomerStore, "conversations" | "messages" | "ratingsOfConversation">;
  readonly pages: Pick<VisitorPageStore, "find">;
  readonly directory: Directory;
}

/** @shape data: JSON text */
const lineOf = (kind: "user" | "conversation" | "page" | "message" | "rating", data: string): string =>
  `{"kind":"${kind}","data":${data}}\n`;

/**
 * Lines about a customer: the user, then each conversation with the page of the customer, its messages and ratings. They are read page by page, so that a customer
 * with any number of messages takes constant memory; messages that are written meanwhile can be missing.
 * The secret by which a widget recognizes the user is left out: whoever has the file could write as the user.
 */
export const customerLines = ({ store, pages, directory }: ExportDeps) =>
  async function* (account: CallerAccount, userText: string): AsyncGenerator<string> {
    const { restore_id: _, ...user } = JSON.parse(userText) as User;
    yield lineOf("user", JSON.stringify(user));
    for await (const conversations of store.conversations(account.id, user.id))
      for (const row of conversations) {
        yield lineOf("conversation", JSON.stringify(await toApiConversation(directory, account, row)));
        const page = await pages.find(account.id, row.id);
        if (page) yield lineOf("page", JSON.stringify({ conversation_id: row.id, ...page }));
        for await (const messages of store.messages(row.id))
          yield messages.map(({ body }) => lineOf("message", body)).join("");
        const ratings = await store.ratingsOfConversation(account.id, row.id);
        if (ratings.length > 0) yield ratings.map((rating) => lineOf("rating", JSON.stringify(rating))).join("");
      }
  };
