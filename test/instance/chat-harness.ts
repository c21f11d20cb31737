import { spawn } from "node:child_process";
import { join } from "node:path";
import type { ParleyClient } from "@parley/client";
import type { Conversation } from "@parley/contract";
import { waitUntil } from "../support/wait-until.ts";
import { ROOT } from "../support/parley-process.ts";

/**
 * Polls until `getValue` returns a value.
 * @param describeState returns the output for the error message
 */
export const until = <T>(what: string, getValue: () => T | Promise<T>, describeState: () => string) =>
  waitUntil(getValue, { details: () => `${what} was not seen, but:\n${describeState()}` });

/** A customer who writes with `parley chat`. */
export interface ChatHarness {
  write(text: string): void;
  /** Waits for a text in the output after the previously expected text. */
  waitForOutput(text: string): Promise<void>;
  /** Returns the customer's newest conversation from the service. */
  conversation(): Promise<Conversation>;
  leave(): void;
}

/** @param name unique first name */
export function chatHarness(name: string, dataFolder: string, client: ParleyClient): ChatHarness {
  const chat = spawn(process.execPath, [join(ROOT, "packages/parley/bin/parley.mjs"), "chat", "--name", name], {
    env: { ...process.env, PARLEY_DATA: dataFolder },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let unread = "";
  chat.stdout.on("data", (chunk: Buffer) => (unread += chunk.toString()));
  const read = (text: string): true | undefined => {
    const position = unread.indexOf(text);
    if (position < 0) return undefined;
    unread = unread.slice(position + text.length);
    return true;
  };
  const newest = async (): Promise<Conversation | undefined> => {
    const { users } = await client.users.listUsers({ query: { first_name: name } });
    if (!users[0]) return undefined;
    const params = { user_id: users[0].id };
    const [first] = (await client.users.listUserConversations({ params })).conversations;
    return first && client.conversations.getConversation({ params: { conversation_id: first.id } });
  };
  return {
    write: (text) => void chat.stdin.write(`${text}\n`),
    async waitForOutput(text) {
      await until(
        `'${text}' for ${name}`,
        () => read(text),
        () => unread,
      );
    },
    conversation: () => until(`the conversation of ${name}`, newest, () => unread),
    leave: () => void chat.kill(),
  };
}
