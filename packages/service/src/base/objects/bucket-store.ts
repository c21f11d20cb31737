import { UsageFailure } from "@parley/contract";
import { createHash } from "node:crypto";
import { realPorts } from "../environment/ports.ts";
import { isKey, validKey, type ListedObject, type ObjectStore, type StoredObject } from "./object-store.ts";
import { bucketClient, type BucketClient } from "./bucket-client.ts";
import { BucketRefusal } from "./bucket-failures.ts";
import { listEntries, listIncompleteUploads } from "./bucket-listing.ts";
import { putObject, SHA256_HEADER, type PutRules } from "./bucket-put.ts";
import { readObject } from "./bucket-read.ts";
import type { BucketPlace } from "./bucket-settings.ts";

/**
 * Size beyond which an object is sent in parts: no upload is as large, only reports are. A part that fails is sent again by itself.
 * @units bytes
 */
const PART_BYTES = 32 * 1_048_576;
/** Objects that are removed at the same time. */
const REMOVALS_MAX = 8;

const digestOf = async (content: AsyncIterable<Uint8Array>): Promise<StoredObject> => {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest("hex") };
};

/** Removes single objects: not every storage removes several with one request. */
const removeNames = async (client: BucketClient, names: readonly string[]): Promise<void> => {
  const rest = [...names];
  const worker = async () => {
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) await client.send({ method: "DELETE", name });
  };
  await Promise.all(Array.from({ length: REMOVALS_MAX }, worker));
};

/** A name that is not a key, so that no listing includes it. */
const probeName = ({ prefix }: BucketPlace): string => `${prefix}.check-${realPorts.newId()}`;

const PROBE = Buffer.from("Parley checks that it can write, read and remove objects.\n");

const checkAccess = async (place: BucketPlace, client: BucketClient, rules: PutRules): Promise<void> => {
  // First the reply that says most about a wrong setting.
  await listEntries(client, place.prefix).next();
  const name = probeName(place);
  const probe = async function* () {
    yield PROBE;
  };
  await putObject(client, name, probe(), rules);
  const found = await readObject(place, client, name);
  const { sha256 } = found ? await digestOf(found.content) : { sha256: "" };
  await client.send({ method: "DELETE", name });
  if (sha256 !== createHash("sha256").update(PROBE).digest("hex"))
    throw new UsageFailure(
      `The object storage of PARLEY_OBJECTS does not return what it has stored. Use another object storage.`,
    );
};

/** Removes the parts of puts that were interrupted. -> of how many; 0 if the storage can't list them */
const removeIncomplete = async (place: BucketPlace, client: BucketClient, minAgeMs: number): Promise<number> => {
  let count = 0;
  try {
    for await (const { entries, time } of listIncompleteUploads(client, place.prefix))
      for (const { name, uploadId, initiated } of entries) {
        if (time - initiated <= minAgeMs || !isKey(name.slice(place.prefix.length))) continue;
        await client.send({ method: "DELETE", name, query: { uploadId } });
        count += 1;
      }
  } catch (error) {
    if (!(error instanceof BucketRefusal && error.status === 501)) throw error;
  }
  return count;
};

interface BucketStoreOptions {
  /** Folder in which larger contents are received. */
  readonly folder: string;
  /** Size beyond which an object is sent in parts; the default when absent. @units bytes */
  readonly partBytes?: number;
  /** Objects in a page of a listing; a thousand when absent. */
  readonly pageEntries?: number;
}

/** Object store in a bucket of an S3-compatible storage. */
export function bucketStore(place: BucketPlace, options: BucketStoreOptions): ObjectStore {
  const { folder, partBytes = PART_BYTES, pageEntries } = options;
  const client = bucketClient(place);
  const rules = { folder, partBytes };
  const nameOf = (key: string): string => place.prefix + validKey(key);
  const headOf = async (key: string) => {
    const { status, headers } = await client.send({ method: "HEAD", name: nameOf(key) });
    return status === 404 ? undefined : headers;
  };
  const list = async function* (): AsyncGenerator<ListedObject> {
    for await (const { entries, time } of listEntries(client, place.prefix, pageEntries))
      for (const { name, bytes, modified } of entries) {
        const key = name.slice(place.prefix.length);
        if (isKey(key)) yield { key, bytes, ageMs: time - modified };
      }
  };
  return {
    put: async (key, content) => putObject(client, nameOf(key), content, rules),
    read: async (key, range) => readObject(place, client, nameOf(key), range),
    async size(key) {
      const headers = await headOf(key);
      return headers && Number(headers["content-length"]);
    },
    async describe(key) {
      const headers = await headOf(key);
      if (!headers) return undefined;
      const recorded = headers[SHA256_HEADER];
      if (typeof recorded === "string" && /^[0-9a-f]{64}$/.test(recorded))
        return { bytes: Number(headers["content-length"]), sha256: recorded };
      const found = await readObject(place, client, nameOf(key));
      return found && digestOf(found.content);
    },
    remove: async (key) => void (await client.send({ method: "DELETE", name: nameOf(key) })),
    async removeAll(prefix) {
      for await (const { entries } of listEntries(client, `${nameOf(prefix)}/`, pageEntries))
        await removeNames(
          client,
          entries.map(({ name }) => name),
        );
    },
    list,
    removeIncomplete: (minAgeMs) => removeIncomplete(place, client, minAgeMs),
    async check() {
      try {
        await checkAccess(place, client, rules);
      } catch (error) {
        throw error instanceof BucketRefusal && error.trouble !== "full" ? new UsageFailure(error.message) : error;
      }
    },
    space: async () => undefined,
  };
}
