import type { InboxItem, Message } from "@parley/contract";
import { createContext, use } from "react";
import type { PictureSource } from "../pictures/picture-source.ts";
import type { Thread } from "./thread-store.ts";

export interface Author {
  readonly name: string;
  readonly avatarUrl?: string | undefined;
  /** The user or agent that has the picture. */
  readonly avatarOf?: PictureSource;
  readonly side: "customer" | "team";
}

/** Values that the rows of a thread share. */
interface ThreadContextValue {
  readonly item: InboxItem;
  readonly thread: Thread;
  readonly authorOf: (message: Pick<Message, "actor_type" | "actor_id">) => Author;
  /** Scrolls to a message, which is loaded if needed. */
  readonly showMessage: (messageId: string) => void;
}

export const ThreadContext = createContext<ThreadContextValue | undefined>(undefined);

export const useThreadContext = (): ThreadContextValue => {
  const value = use(ThreadContext);
  if (!value) throw new Error("The component belongs into a thread.");
  return value;
};
