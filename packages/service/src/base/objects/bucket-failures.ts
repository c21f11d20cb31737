import { ObjectStoreFailure } from "./object-store.ts";
import { bucketText, type BucketPlace } from "./bucket-settings.ts";

/** Refusal of a request by the storage. */
export class BucketRefusal extends ObjectStoreFailure {
  readonly status: number;
  /** Error code of the storage, such as NoSuchBucket; empty without an error code. */
  readonly code: string;
  constructor(message: string, status: number, code: string) {
    super(message, stepOf(status, code) === SPACE ? "full" : "unavailable");
    this.status = status;
    this.code = code;
  }
}

/** The storage could not be reached, or failed in every attempt. */
class BucketUnavailable extends ObjectStoreFailure {}

const CREDENTIALS = "Check PARLEY_S3_KEY_ID and PARLEY_S3_SECRET (or PARLEY_S3_SECRET_FILE).";
const REGION = "Set PARLEY_S3_REGION to the region of the bucket.";
const SPACE = "Free space in the storage, or raise its quota.";
const BUCKET = "Create the bucket, or correct PARLEY_OBJECTS.";

/** Advice to an operator about an error code. */
const STEPS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  InvalidSecurity: CREDENTIALS,
  AccountProblem: CREDENTIALS,
  AccessDenied:
    "Allow the key s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads on the bucket.",
  AllAccessDisabled: "Enable the bucket in the storage.",
  NoSuchBucket: BUCKET,
  InvalidBucketName: BUCKET,
  PermanentRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  InvalidRegion: REGION,
  RequestTimeTooSkewed: "Set the machine's clock: it differs from that of the storage.",
  QuotaExceeded: SPACE,
  XMinioStorageFull: SPACE,
  EntityTooLarge: "Raise the largest size of an object in the storage.",
};

const stepOf = (status: number, code: string): string => {
  const step = STEPS[code];
  if (step !== undefined) return step;
  if (status === 507) return SPACE;
  if (status >= 300 && status < 400) return REGION;
  return "Check that PARLEY_S3_ENDPOINT is the address of an S3-compatible storage, and PARLEY_S3_PATH_STYLE.";
};

/** Texts of a storage are shortened, and contain no control characters in messages. */
const printed = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, 200);

/** @shape operation: such as `PUT`; detail: message of the storage @errors BucketRefusal */
export const failRefused = (
  place: BucketPlace,
  operation: string,
  { status, code, detail }: { readonly status: number; readonly code: string; readonly detail: string },
): never => {
  const reason = [`${status}`, code, printed(detail)].filter(Boolean).join(" ");
  throw new BucketRefusal(
    `The object storage refused ${operation} in ${bucketText(place)} (${reason}). ${stepOf(status, code)}`,
    status,
    code,
  );
};

/** @shape reason: of the last attempt @errors BucketUnavailable */
export function failUnavailable(place: BucketPlace, operation: string, reason: string): never {
  throw new BucketUnavailable(
    `The object storage did not complete ${operation} in ${bucketText(place)} (${printed(reason)}). ` +
      "Check that it runs and that this machine reaches PARLEY_S3_ENDPOINT.",
  );
}
