import { createContext } from "react";
import { client } from "../session/session.ts";

/** The object that contains the address of a picture. The service loads no address that the object does not have. */
export type PictureSource =
  | { readonly user_id: string }
  | { readonly agent_id: string }
  | { readonly channel_id: string }
  | { readonly conversation_id: string; readonly message_id: string };

/** The source of pictures in the parts of a message; undefined where they are not stored yet. */
export const PictureSourceContext = createContext<PictureSource | undefined>(undefined);

const request = (source: PictureSource, url: string, signal: AbortSignal): Promise<Blob> => {
  const input = { query: { url }, signal };
  if ("user_id" in source) return client.pictures.getUserPicture({ params: source, ...input });
  if ("agent_id" in source) return client.pictures.getAgentPicture({ params: source, ...input });
  if ("channel_id" in source) return client.pictures.getChannelPicture({ params: source, ...input });
  return client.pictures.getMessagePicture({ params: source, ...input });
};

/** A browser has six connections to a host: slow pictures must leave some for everything else. */
const SIMULTANEOUS_MAX = 2;
const waiting: (() => void)[] = [];
let loading = 0;

/** Loads a picture by the service. @errors ProblemError, NoAnswerError */
export const loadPicture = async (source: PictureSource, url: string, signal: AbortSignal): Promise<Blob> => {
  if (loading >= SIMULTANEOUS_MAX) await new Promise<void>((start) => void waiting.push(start));
  else loading += 1;
  try {
    signal.throwIfAborted();
    return await request(source, url, signal);
  } finally {
    // The place passes to the longest waiting picture.
    const next = waiting.shift();
    if (next) next();
    else loading -= 1;
  }
};
