import { XMLParser } from "fast-xml-parser";
import type { BucketClient } from "./bucket-client.ts";

/** An object in the listing of a bucket. @shape modified: milliseconds since 1970 by the clock of the storage */
interface BucketEntry {
  readonly name: string;
  readonly bytes: number;
  readonly modified: number;
}

/** A multipart upload that was not completed. */
interface IncompleteUpload {
  readonly name: string;
  readonly uploadId: string;
  readonly initiated: number;
}

/** One page of a listing, and the storage's time of the reply. */
interface Page<T> {
  readonly entries: readonly T[];
  readonly time: number;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  isArray: (name) => name === "Contents" || name === "Upload",
});

type Texts = Readonly<Record<string, string | undefined>>;
interface Parsed {
  readonly ListBucketResult?: Texts & { readonly Contents?: readonly Texts[] };
  readonly ListMultipartUploadsResult?: Texts & { readonly Upload?: readonly Texts[] };
}

const timeOf = (date: string | undefined): number => {
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time)) throw new Error(`the storage sends no valid time: ${JSON.stringify(date)}`);
  return time;
};

/**
 * Pages of the objects whose names begin with the prefix.
 * @shape pageEntries: at most; a thousand when absent
 * @errors BucketRefusal, BucketUnavailable
 */
export async function* listEntries(
  client: BucketClient,
  prefix: string,
  pageEntries?: number,
): AsyncGenerator<Page<BucketEntry>> {
  let last: string | undefined;
  do {
    const query = {
      "list-type": "2",
      prefix,
      ...(pageEntries && { "max-keys": String(pageEntries) }),
      ...(last && { "start-after": last }),
    };
    const { text, headers } = await client.send({ method: "GET", name: "", query });
    const result = (parser.parse(text) as Parsed).ListBucketResult;
    if (!result) throw new Error("the storage sends no listing of the bucket");
    const entries = (result.Contents ?? []).map(({ Key = "", Size, LastModified }) => ({
      name: Key,
      bytes: Number(Size),
      modified: timeOf(LastModified),
    }));
    yield { time: timeOf(headers.date), entries };
    // By name instead of a token: a token may expire while the reader removes what it has read.
    last = result["IsTruncated"] === "true" ? entries.at(-1)?.name : undefined;
  } while (last);
}

/** Pages of the multipart uploads that are not completed. @errors BucketRefusal, BucketUnavailable */
export async function* listIncompleteUploads(
  client: BucketClient,
  prefix: string,
): AsyncGenerator<Page<IncompleteUpload>> {
  let marker: Readonly<Record<string, string>> | undefined = {};
  do {
    const query: Readonly<Record<string, string>> = { uploads: "", prefix, ...marker };
    const { text, headers } = await client.send({ method: "GET", name: "", query });
    const result: Parsed["ListMultipartUploadsResult"] = (parser.parse(text) as Parsed).ListMultipartUploadsResult;
    if (!result) throw new Error("the storage sends no listing of multipart uploads");
    yield {
      time: timeOf(headers.date),
      entries: (result.Upload ?? []).map(({ Key = "", UploadId = "", Initiated }) => ({
        name: Key,
        uploadId: UploadId,
        initiated: timeOf(Initiated),
      })),
    };
    const { NextKeyMarker, NextUploadIdMarker } = result;
    marker =
      result["IsTruncated"] === "true" && NextKeyMarker
        ? { "key-marker": NextKeyMarker, ...(NextUploadIdMarker && { "upload-id-marker": NextUploadIdMarker }) }
        : undefined;
  } while (marker);
}
