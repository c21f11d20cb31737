import { PICTURE_NOT_AVAILABLE, pictures, refuse } from "@parley/contract";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import type { PictureReply } from "../../http/picture-reply.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { FetchPicture } from "./fetch-picture.ts";
import type { PictureStore } from "./store.ts";

interface PictureDeps {
  readonly store: PictureStore;
  readonly findId: FindConversationId;
  readonly fetchPicture: FetchPicture;
}

/** Whether a JSON value has a member `url` with this text. */
const hasUrl = (value: unknown, url: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(([name, member]) => (name === "url" && member === url) || hasUrl(member, url));

/** Loads pictures of addresses that are stored, so that a session can't be used to request others. */
export const pictureRoutes = ({ store, findId, fetchPicture }: PictureDeps) => {
  const load = async (
    url: string,
    id: string,
    bodyOf: (id: string) => Promise<string | undefined>,
  ): Promise<PictureReply> => {
    const body = isUuid(id) ? await bodyOf(id.toLowerCase()) : undefined;
    if (body === undefined || !hasUrl(JSON.parse(body), url))
      refuse(PICTURE_NOT_AVAILABLE, "The object of the path has no such address.");
    return fetchPicture(url);
  };

  return defineRoutes(pictures, {
    getUserPicture: ({ params, query, caller: { account } }) =>
      load(query.url, params.user_id, (id) => store.user(account.id, id)),
    getAgentPicture: ({ params, query, caller: { account } }) =>
      load(query.url, params.agent_id, (id) => store.agent(account.id, id)),
    getChannelPicture: ({ params, query, caller: { account } }) =>
      load(query.url, params.channel_id, (id) => store.channel(account.id, id)),
    async getMessagePicture({ params, query, caller: { account } }) {
      const conversationId = await findId(account.id, params.conversation_id);
      return load(query.url, params.message_id, async (id) =>
        conversationId === undefined ? undefined : store.message(account.id, id, conversationId),
      );
    },
  });
};
