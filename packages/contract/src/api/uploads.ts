import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { KEPT_ANSWER_REMOVED } from "./idempotency.ts";
import { LIMITS } from "./limits.ts";

/** @spec Resources and their fields > Image object */
export const Image = Type.Object(
  {
    id: Type.String(),
    content_type: Type.String(),
    height: Type.Integer(),
    width: Type.Integer(),
    name: Type.String(),
    url: Type.String({ description: "Pre-signed: it expires." }),
    thumbnail: Type.Object({
      url: Type.String(),
      content_type: Type.String(),
      width: Type.Integer(),
      height: Type.Integer(),
    }),
  },
  { title: "Image" },
);
export type Image = Static<typeof Image>;

/** The content is not an image; the file's name and type do not matter. @assumed The status token. */
export const NOT_AN_IMAGE = problem({
  code: 400,
  status: "NOT_AN_IMAGE",
  message: "The part 'image' holds no image that can be read: send PNG, JPEG, GIF or WebP.",
});
/** @assumed The status token and the HTTP code. */
export const IMAGE_TOO_LARGE = problem({
  code: 400,
  status: "IMAGE_TOO_LARGE",
  message: `The image has more than ${LIMITS.image_pixels} pixels: send a smaller image.`,
});

export const images = {
  uploadImage: endpoint({
    route: "POST /images/upload",
    summary: "Upload an image",
    spec: "Endpoints > Images",
    access: { token: "image:create", session: sessionsOf("AGENT", "some") },
    acceptsIdempotencyKey: true,
    upload: { part: "image", bytes: LIMITS.image_bytes },
    reply: { code: 201, body: Image },
    problems: [NOT_AN_IMAGE, IMAGE_TOO_LARGE, KEPT_ANSWER_REMOVED],
  }),
};

/** @assumed The object is not in the specification's tables; `url` is an addition. */
export const File = Type.Object(
  {
    file_name: Type.String(),
    file_size: Type.Integer({ description: "Bytes." }),
    file_content_type: Type.String(),
    file_hash: Type.String({ description: "Refers to the file in a message part, in place of a URL." }),
    url: Type.String({ description: "Pre-signed: it expires." }),
  },
  { title: "File" },
);
export type File = Static<typeof File>;

export const files = {
  uploadFile: endpoint({
    route: "POST /files/upload",
    summary: "Upload a file, to be sent in a message part of kind file",
    spec: "Resources and their fields > Message part object",
    access: { token: "file:create", session: sessionsOf("AGENT", "some") },
    acceptsIdempotencyKey: true,
    upload: { part: "file", bytes: LIMITS.file_bytes },
    reply: { code: 201, body: File },
    problems: [KEPT_ANSWER_REMOVED],
  }),
};
