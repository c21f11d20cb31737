/** A place in a bucket of an S3-compatible storage. */
export interface BucketPlace {
  readonly kind: "bucket";
  readonly bucket: string;
  /** Beginning of the names of all objects: empty, or with a slash at its end. */
  readonly prefix: string;
  /** Origin with an optional path, without a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  readonly keyId: string;
  readonly secret: string;
  /** true: the bucket is in the path; false: it is the first label of the host name. */
  readonly isPathStyle: boolean;
  /** Waits of requests; defaults when absent. */
  readonly waits?: Partial<BucketWaits>;
}

/** @units milliseconds */
export interface BucketWaits {
  /** Time without a byte in either direction after which a request is given up and tried again. */
  readonly idleMs: number;
  /** Pause before the second attempt. Each further pause is twice as long. */
  readonly firstPauseMs: number;
  /** Time after which no further attempt begins. */
  readonly retryForMs: number;
}

export const BUCKET_WAITS: BucketWaits = { idleMs: 20_000, firstPauseMs: 100, retryForMs: 20_000 };

/** Text that names a place in messages, without credentials. */
export const bucketText = ({ bucket, prefix, endpoint }: BucketPlace): string =>
  `s3://${bucket}/${prefix} at ${endpoint}`;
