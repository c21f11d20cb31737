import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import type { BucketPlace, BucketWaits } from "../../../src/base/objects/bucket-settings.ts";

/** A running S3-compatible server with a bucket. */
export interface BucketServer {
  readonly place: BucketPlace;
  close(): Promise<void>;
}

/** Waits that make the tests of failures short. */
export const SHORT_WAITS: BucketWaits = { idleMs: 1_000, firstPauseMs: 5, retryForMs: 5_000 };

/**
 * Starts s3rver with an empty bucket. It checks the id of the key, but neither the signature nor the digest of a content; it has no list of
 * multipart uploads; a listing of several pages and a repeated completion fail with 500; a range of the first byte returns everything. Tests of
 * these use swift-server.ts.
 */
export async function startS3rver(): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), "parley-s3rver-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "parley" }],
  });
  const { port } = (await server.run()) as AddressInfo;
  const place: BucketPlace = {
    kind: "bucket",
    bucket: "parley",
    prefix: "unit/",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    keyId: "S3RVER",
    secret: "S3RVER",
    isPathStyle: true,
  };
  return {
    place,
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
