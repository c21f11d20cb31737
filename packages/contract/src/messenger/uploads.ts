import { KEPT_ANSWER_REMOVED } from "../api/idempotency.ts";
import { LIMITS } from "../api/limits.ts";
import { File, Image, IMAGE_TOO_LARGE, NOT_AN_IMAGE } from "../api/uploads.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MESSENGER_API } from "./messenger.ts";
import { UPLOAD_QUOTA_EXCEEDED, VISITOR_BLOCKED } from "./problems.ts";

export const messengerUploads = {
  uploadVisitorImage: endpoint({
    route: `POST ${MESSENGER_API}/images`,
    summary: "Upload a picture, to be sent in a message part of kind image",
    spec: "Endpoints > Images",
    access: { visitor: "account" },
    acceptsIdempotencyKey: true,
    upload: { part: "image", bytes: LIMITS.image_bytes },
    reply: { code: 201, body: Image },
    problems: [NOT_AN_IMAGE, IMAGE_TOO_LARGE, UPLOAD_QUOTA_EXCEEDED, VISITOR_BLOCKED, KEPT_ANSWER_REMOVED],
  }),
  uploadVisitorFile: endpoint({
    route: `POST ${MESSENGER_API}/files`,
    summary: "Upload a file, to be sent in a message part of kind file",
    spec: "Resources and their fields > Message part object",
    access: { visitor: "account" },
    acceptsIdempotencyKey: true,
    upload: { part: "file", bytes: LIMITS.file_bytes },
    reply: { code: 201, body: File },
    problems: [UPLOAD_QUOTA_EXCEEDED, VISITOR_BLOCKED, KEPT_ANSWER_REMOVED],
  }),
};
