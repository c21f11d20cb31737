import { images, NOT_AN_IMAGE, refuse, type Image } from "@parley/contract";
import { defineRoutes, type RouteHandler } from "../../http/route-handlers.ts";
import { type UploadDeps, readBytes, createSaveUpload } from "./save-upload.ts";
import { contentTypeOf, isImageType, openImageProcessor } from "./image-processing.ts";
import { uploadKeyOf, thumbnailKeyOf } from "./resign-urls.ts";

/** Stored description of an image. */
type ImageBody = Omit<Image, "id" | "url" | "thumbnail"> & { readonly thumbnail: Omit<Image["thumbnail"], "url"> };

/** Stores a picture and its thumbnail. */
export type UploadImage = RouteHandler<typeof images.uploadImage>;

export const createUploadImage = ({
  objects,
  addresses,
  spool,
  store,
  ports,
  addressSeconds: seconds,
}: UploadDeps): UploadImage => {
  const processImage = openImageProcessor(spool);
  const saveUpload = createSaveUpload({ objects, store });
  return async ({ upload, caller, request, claim }) => {
    if (!isImageType(upload.content_type))
      return refuse(
        NOT_AN_IMAGE,
        "The part 'image' is declared with a type that is not an image: give it the media type of its content.",
      );
    const picture = await processImage(upload.content);
    const [id, accountId] = [ports.newId(), caller.account.id];
    const [key, thumbnailKey] = [uploadKeyOf(accountId, id), thumbnailKeyOf(accountId, id)];
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
    const reply = { id, ...body, url: sign(key), thumbnail: { ...body.thumbnail, url: sign(thumbnailKey) } };
    await saveUpload(
      [
        { key, bytes: readBytes(content) },
        { key: thumbnailKey, bytes: readBytes(thumbnail.content) },
      ],
      () => ({
        id,
        account_id: accountId,
        kind: "image" as const,
        created_time: ports.now(),
        object_key: key,
        body: JSON.stringify(body),
      }),
      claim && ((tx) => claim.recordReply(tx, reply, id)),
    );
    return reply;
  };
};

export const imageRoutes = (uploadImage: UploadImage) => defineRoutes(images, { uploadImage });
