import { isLocalHost } from "@parley/contract";
import { bucketClient } from "./bucket-client.ts";
import { BucketRefusal } from "./bucket-failures.ts";
import type { BucketPlace } from "./bucket-settings.ts";

/** Facts about a working bucket that an operator should know. @shape next: advice to the operator */
export interface PlaceWarning {
  readonly message: string;
  readonly next: string;
}

const isVersioned = async (place: BucketPlace): Promise<boolean> => {
  try {
    const { text } = await bucketClient(place).send({ method: "GET", name: "", query: { versioning: "" } });
    return text.includes("<Status>Enabled</Status>");
  } catch (error) {
    // The key needs no right to read this, and not every storage knows it.
    if (error instanceof BucketRefusal) return false;
    throw error;
  }
};

/** @errors BucketUnavailable */
export async function bucketWarnings(place: BucketPlace): Promise<PlaceWarning[]> {
  const { protocol, host } = new URL(place.endpoint);
  const warnings: PlaceWarning[] = [];
  if (protocol === "http:" && !isLocalHost(host))
    warnings.push({
      message: `Uploads are sent to ${host} without encryption.`,
      next: "Set PARLEY_S3_ENDPOINT to an https address, unless the network between is private.",
    });
  if (await isVersioned(place))
    warnings.push({
      message: `The bucket ${place.bucket} keeps versions of removed objects, so that uploads of erased users stay there.`,
      next: "Turn versioning off, or let a lifecycle rule remove noncurrent versions after as many days as your backups are kept.",
    });
  return warnings;
}
