import { images, NOT_AN_IMAGE, refuse, type Image } from "@parley/contract";
import { slice } from "../http/slice.ts";
import type { UploadDeps } from "./deps.ts";
import { contentTypeOf, isImageType } from "./image-type.ts";
import { bytesOf, keeping } from "./keeping.ts";
import { keyOf, thumbnailKeyOf } from "./keys.ts";
import { openStudio } from "./studio.ts";

/** What is kept of an image besides its objects. */
type ImageBody = Omit<Image, "id" | "url" | "thumbnail"> & { readonly thumbnail: Omit<Image["thumbnail"], "url"> };

export const imageSlice = ({ objects, addresses, spool, store, ports, addressSeconds: seconds }: UploadDeps) => {
  const studio = openStudio(spool);
  const keep = keeping({ objects, store });
  return slice(images, {
    async uploadImage({ upload, caller, request, claim }) {
      if (!isImageType(upload.content_type))
        return refuse(
          NOT_AN_IMAGE,
          "The part 'image' is declared to be no image: give it the media type of its content.",
        );
      const picture = await studio(upload.content);
      const [id, accountId] = [ports.newId(), caller.account.id];
      const [key, thumbnailKey] = [keyOf(accountId, id), thumbnailKeyOf(accountId, id)];
      const { format, width, height, content, thumbnail } = picture;
      const content_type = contentTypeOf(format);
      const body: ImageBody = {
        content_type,
        height,
        width,
        name: `${id}.${format}`,
        thumbnail: { content_type, width: thumbnail.width, height: thumbnail.height },
      };
      const sign = (target: string) =>
        addresses.sign({ key: target, contentType: content_type, seconds }, request.origin);
      const answer = { id, ...body, url: sign(key), thumbnail: { ...body.thumbnail, url: sign(thumbnailKey) } };
      await keep(
        [
          { key, bytes: bytesOf(content) },
          { key: thumbnailKey, bytes: bytesOf(thumbnail.content) },
        ],
        () => ({
          id,
          account_id: accountId,
          kind: "image" as const,
          created_time: ports.now(),
          object_key: key,
          body: JSON.stringify(body),
        }),
        claim && ((tx) => claim.keep(tx, answer, id)),
      );
      return answer;
    },
  });
};
