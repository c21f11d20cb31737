import multipart, { type Multipart, type MultipartFile } from "@fastify/multipart";
import {
  INVALID_FORM,
  isRefusal,
  MISSING_PARAMETER,
  PAYLOAD_TOO_LARGE,
  Refusal,
  refuse,
  UNSUPPORTED_MEDIA_TYPE,
  type Upload,
  type UploadRule,
} from "@parley/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isIdentityEncoding } from "../../http/media-type.ts";

/** Maximum size of the form without the file. @units bytes */
const FORM_OVERHEAD_BYTES_MAX = 65_536;

/** Limits of other parts, which are ignored. The number of parts is bounded. */
const PART_LIMITS = { fieldSize: 1_024, parts: 50, headerPairs: 50, headerSize: 16_384 };

/** Accepts forms in a Fastify context. Bodies of other types are not read. */
export async function addFormParser(context: FastifyInstance): Promise<void> {
  context.removeAllContentTypeParsers();
  await context.register(multipart, { throwFileSizeLimit: false });
  context.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
}

const tooLargeMessage = ({ part, bytes }: UploadRule): string =>
  `The file in the part '${part}' may have at most ${bytes} bytes.`;

/** @errors UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE */
const checkHeaders = (request: FastifyRequest, rule: UploadRule) => {
  const { "content-encoding": encoding, "content-length": length } = request.headers;
  if (!request.isMultipart() || !isIdentityEncoding(encoding))
    refuse(
      UNSUPPORTED_MEDIA_TYPE,
      `The body must be a form with the part '${rule.part}': send it as 'Content-Type: multipart/form-data', not packed.`,
    );
  if (Number(length) > rule.bytes + FORM_OVERHEAD_BYTES_MAX) refuse(PAYLOAD_TOO_LARGE, tooLargeMessage(rule));
};

/** Maps parser errors to refusals. The parser's own message is not passed on. */
const refuseForm = (error: unknown): never => {
  if (isRefusal(error)) throw error;
  return (error as { code?: unknown }).code === "FST_PARTS_LIMIT"
    ? refuse(PAYLOAD_TOO_LARGE, `The form may have at most ${PART_LIMITS.parts} parts.`)
    : refuse(INVALID_FORM);
};

/** @errors MISSING_PARAMETER, INVALID_FORM */
const findFile = async (parts: AsyncIterator<Multipart>, { part }: UploadRule): Promise<MultipartFile> => {
  for (;;) {
    const next: IteratorResult<Multipart, undefined> = await parts.next();
    if (next.done) return refuse(MISSING_PARAMETER, `The form must have the part '${part}' with a file.`);
    const { value } = next;
    if (value.type !== "file") {
      if (value.fieldname !== part) continue;
      return refuse(MISSING_PARAMETER, `The part '${part}' must be a file: give it a filename.`);
    }
    if (value.fieldname !== part)
      return refuse(MISSING_PARAMETER, `The file must be in the part '${part}', which the form doesn't have.`);
    return value;
  }
};

/**
 * The file's bytes as they arrive. The iteration completes only when the whole form has arrived; on an error the consumer must discard the
 * bytes.
 * @errors MISSING_PARAMETER, PAYLOAD_TOO_LARGE, INVALID_FORM
 */
async function* contentOf({ file, filename }: MultipartFile, parts: AsyncIterator<Multipart>, rule: UploadRule) {
  try {
    for await (const chunk of file) yield chunk as Buffer;
    // Browsers send an empty part for an empty file input.
    if (!filename && file.bytesRead === 0) refuse(MISSING_PARAMETER, `The part '${rule.part}' holds no file.`);
    for (let next = await parts.next(); !next.done; next = await parts.next())
      if (next.value.type === "file") refuse(INVALID_FORM, `The form may hold one file, in the part '${rule.part}'.`);
  } catch (error) {
    refuseForm(error);
  }
}

/**
 * Reads a form up to its file and passes the file to `work`. Data that `work` leaves unread is discarded, so that the caller can
 * read the reply.
 * @errors UNSUPPORTED_MEDIA_TYPE, MISSING_PARAMETER, INVALID_FORM; reading the content: MISSING_PARAMETER, PAYLOAD_TOO_LARGE, INVALID_FORM
 */
export async function withUpload<T>(
  request: FastifyRequest,
  rule: UploadRule,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  try {
    checkHeaders(request, rule);
    const parts = request.parts({ limits: { ...PART_LIMITS, fileSize: rule.bytes } });
    const found = await findFile(parts, rule).catch(refuseForm);
    // Fails as soon as the limit is exceeded, without waiting for the rest.
    found.file.once("limit", () => found.file.destroy(new Refusal(PAYLOAD_TOO_LARGE, tooLargeMessage(rule))));
    return await work({
      name: found.filename,
      content_type: found.mimetype,
      content: contentOf(found, parts, rule),
    });
  } finally {
    request.raw.unpipe();
    request.raw.resume();
  }
}
