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
import { isIdentityEncoding } from "../http/media-type.ts";

/** What stands around the file in a form, at most. @units bytes */
const FORM = 65_536;

/** Of what nobody reads: further fields are passed over, and a form may not have parts without end. */
const LIMITS = { fieldSize: 1_024, parts: 50, headerPairs: 50, headerSize: 16_384 };

/** Lets a context's routes take forms, and nothing else; a body of another kind is not even read. */
export async function addFormParser(context: FastifyInstance): Promise<void> {
  context.removeAllContentTypeParsers();
  await context.register(multipart, { throwFileSizeLimit: false });
  context.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
}

const tooLarge = ({ part, bytes }: UploadRule): Refusal =>
  new Refusal(PAYLOAD_TOO_LARGE, `The file in the part '${part}' may have at most ${bytes} bytes.`);

/** @errors UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE */
const checkHeaders = (request: FastifyRequest, rule: UploadRule) => {
  const { "content-encoding": encoding, "content-length": length } = request.headers;
  if (!request.isMultipart() || !isIdentityEncoding(encoding))
    refuse(
      UNSUPPORTED_MEDIA_TYPE,
      `The body must be a form with the part '${rule.part}': send it as 'Content-Type: multipart/form-data', not packed.`,
    );
  if (Number(length) > rule.bytes + FORM) throw tooLarge(rule);
};

/** What the parser says is in its own words, and about the form: the caller hears only that. */
const asRefusal = (error: unknown): Refusal => {
  if (isRefusal(error)) return error;
  return (error as { code?: unknown }).code === "FST_PARTS_LIMIT"
    ? new Refusal(PAYLOAD_TOO_LARGE, `The form may have at most ${LIMITS.parts} parts.`)
    : new Refusal(INVALID_FORM);
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
 * The file's bytes as they arrive. It ends well only when the whole form has: whoever keeps them drops them otherwise.
 * @errors MISSING_PARAMETER, PAYLOAD_TOO_LARGE, INVALID_FORM
 */
async function* contentOf({ file, filename }: MultipartFile, parts: AsyncIterator<Multipart>, rule: UploadRule) {
  try {
    for await (const chunk of file) yield chunk as Buffer;
    // Browsers send so what nobody filled in.
    if (!filename && file.bytesRead === 0) refuse(MISSING_PARAMETER, `The part '${rule.part}' holds no file.`);
    for (let next = await parts.next(); !next.done; next = await parts.next())
      if (next.value.type === "file") refuse(INVALID_FORM, `The form may hold one file, in the part '${rule.part}'.`);
  } catch (error) {
    throw asRefusal(error);
  }
}

/**
 * Reads a form up to its file and gives that to the work; what the work leaves unread is passed over, so that the caller can
 * hear the answer.
 * @errors UNSUPPORTED_MEDIA_TYPE, MISSING_PARAMETER, INVALID_FORM; reading the content: MISSING_PARAMETER, PAYLOAD_TOO_LARGE, INVALID_FORM
 */
export async function withUpload<T>(
  request: FastifyRequest,
  rule: UploadRule,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  try {
    checkHeaders(request, rule);
    const parts = request.parts({ limits: { ...LIMITS, fileSize: rule.bytes } });
    const found = await findFile(parts, rule).catch((error: unknown) => {
      throw asRefusal(error);
    });
    // Told at once, and not when the rest has come too.
    found.file.once("limit", () => found.file.destroy(tooLarge(rule)));
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
