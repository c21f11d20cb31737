/** A file to upload. A stream is buffered first, so that the request can be retried. */
export interface UploadContent {
  readonly name: string;
  readonly content_type: string;
  readonly content: Uint8Array | Blob | AsyncIterable<Uint8Array>;
}

const collected = async (content: UploadContent["content"]): Promise<Uint8Array<ArrayBuffer>[] | Blob> => {
  if (content instanceof Blob) return content;
  if (content instanceof Uint8Array) return [new Uint8Array(content)];
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of content) chunks.push(new Uint8Array(chunk));
  return chunks;
};

/** Builds a form with the file as its part. */
export async function formDataOf(part: string, { name, content_type, content }: UploadContent): Promise<FormData> {
  const bytes = await collected(content);
  const form = new FormData();
  form.set(part, new Blob(Array.isArray(bytes) ? bytes : [bytes], { type: content_type }), name);
  return form;
}
