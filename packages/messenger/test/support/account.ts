import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ParleyClient } from "@parley/client";
import type { MessengerSetting, User } from "@parley/contract";
import { waitUntil } from "../../../../test/support/wait-until.ts";

/** Users of the demo account are older. */
const STARTED = new Date().toISOString();

/** Sets what an admin enters about the messenger of the demo account. @shape dataFolder: of the instance */
export const setMessenger = async (service: string, dataFolder: string, messenger: MessengerSetting): Promise<void> => {
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const response = await fetch(new URL("/admin/accounts/acme", service), {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "acme", messenger }),
  });
  if (!response.ok) throw new Error(`PUT /admin/accounts/acme: ${response.status} ${await response.text()}`);
};

/** Waits for a message with the text. -> the user of its conversation */
export const writerOf = (client: ParleyClient, text: string): Promise<User> =>
  waitUntil(async () => {
    const { users } = await client.users.listUsers({ query: { created_from: STARTED } });
    for (const user of users) {
      const { conversations } = await client.users.listUserConversations({ params: { user_id: user.id } });
      for (const { id: conversation_id } of conversations) {
        const { messages } = await client.messages.listMessages({ params: { conversation_id }, query: {} });
        if (messages.some(({ message_parts }) => message_parts.some((part) => part.text?.content.includes(text))))
          return user;
      }
    }
    return undefined;
  });
