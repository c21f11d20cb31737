import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import { ZipFile } from "yazl";

/**
 * Writes records as RFC 4180 says, the header first, also above none.
 * @assumed A text that a spreadsheet would take for a formula gets an apostrophe before it, since strangers write the messages.
 */
const csvOf = (records: readonly (readonly string[])[]): string =>
  stringify(records as string[][], { record_delimiter: "\r\n", escape_formulas: true });

async function* csv(
  header: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(csvOf([header]));
  for await (const records of batches) yield Buffer.from(csvOf(records));
}

/** A ZIP with one CSV in UTF-8, made as it is read: never more of it is in memory than a batch. @errors what the batches throw */
export async function* zippedCsv(
  file: { readonly name: string; readonly time: Date },
  header: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const content = Readable.from(csv(header, batches), { objectMode: false });
  const output = zip.outputStream as Readable;
  content.once("error", (error) => output.destroy(error));
  zip.once("error", (error) => output.destroy(error as Error));
  zip.addReadStream(content, file.name, { mtime: file.time });
  zip.end();
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    content.destroy();
  }
}
