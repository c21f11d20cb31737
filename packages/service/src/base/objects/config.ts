import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { urlOf, type Environment, type EnvironmentVariable, UsageFailure } from "@parley/contract";
import { isKey } from "./object-store.ts";
import type { BucketPlace } from "./bucket-settings.ts";

/** A folder that all processes of a database share. */
interface FolderPlace {
  readonly kind: "folder";
  /** Absolute path. */
  readonly folder: string;
}

/** Where objects are kept. */
export type ObjectsPlace = FolderPlace | BucketPlace;

/** Settings of the storage of uploads and reports. */
export interface ObjectsConfig {
  /** undefined: a folder of the data folder. */
  readonly place?: ObjectsPlace | undefined;
  /** Place that is also read, and from which objects are moved; undefined without such a place. */
  readonly previous?: ObjectsPlace | undefined;
  /** false: objects without a row are kept. */
  readonly isSwept?: boolean;
}

const DEFAULT_REGION = "us-east-1";
/** Names of buckets by the rules of S3, without those that are addresses. */
const BUCKET = /^(?!\d+(?:\.\d+){3}$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const SCHEME = /^s3:\/\//i;

/** @errors UsageFailure for an unset variable, with what it is needed for */
const needed = (env: Environment, name: EnvironmentVariable, what: string): string => {
  const value = env[name];
  if (value) return value;
  throw new UsageFailure(`${name} must be ${what}, because the objects are kept in a bucket.`);
};

/** @errors UsageFailure for anything but an address without a query */
const endpointOf = (text: string | undefined, region: string): string => {
  if (!text) return `https://s3.${region}.amazonaws.com`;
  const url = urlOf(text);
  const isAddress = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text);
  if (isAddress) return url.href.replace(/\/$/, "");
  throw new UsageFailure(
    "PARLEY_S3_ENDPOINT must be the http or https address of the object storage, such as https://s3.example.com, without " +
      "credentials and query.",
  );
};

/** @errors UsageFailure that names the variable, never its value */
const secretOf = (env: Environment): string => {
  const file = env["PARLEY_S3_SECRET_FILE"];
  if (!file) return needed(env, "PARLEY_S3_SECRET", "the secret of the key (or set PARLEY_S3_SECRET_FILE)");
  if (env["PARLEY_S3_SECRET"])
    throw new UsageFailure("PARLEY_S3_SECRET and PARLEY_S3_SECRET_FILE are both set. Set one of them.");
  let secret: string;
  try {
    secret = readFileSync(file, "utf8").trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(`The file of PARLEY_S3_SECRET_FILE can't be read (${reason}). Name a file with the secret.`);
  }
  if (secret !== "") return secret;
  throw new UsageFailure("The file of PARLEY_S3_SECRET_FILE is empty. Write the secret of the key into it.");
};

/** @errors UsageFailure for anything but on and off */
const switchOf = (env: Environment, name: EnvironmentVariable, isDefault: boolean): boolean => {
  const text = env[name];
  if (!text) return isDefault;
  if (text === "on" || text === "off") return text === "on";
  throw new UsageFailure(`${name} must be on or off, not '${text}'.`);
};

const bucketPlace = (env: Environment, name: EnvironmentVariable, text: string): BucketPlace => {
  const [bucket = "", ...path] = text.replace(SCHEME, "").replace(/\/$/, "").split("/");
  const prefix = path.join("/");
  if (!BUCKET.test(bucket) || (path.length > 0 && !isKey(prefix)))
    throw new UsageFailure(
      `${name} must be a folder, or s3://<bucket> or s3://<bucket>/<prefix> with the name of a bucket and a prefix of letters, ` +
        `digits, '_', '-', '.' and '/', not '${text}'.`,
    );
  const region = env["PARLEY_S3_REGION"] || DEFAULT_REGION;
  return {
    kind: "bucket",
    bucket,
    prefix: prefix && `${prefix}/`,
    endpoint: endpointOf(env["PARLEY_S3_ENDPOINT"], region),
    region,
    keyId: needed(env, "PARLEY_S3_KEY_ID", "the id of an access key"),
    secret: secretOf(env),
    // A self-hosted storage seldom has a host name for each bucket.
    isPathStyle: switchOf(env, "PARLEY_S3_PATH_STYLE", Boolean(env["PARLEY_S3_ENDPOINT"])),
  };
};

const placeOf = (env: Environment, name: EnvironmentVariable): ObjectsPlace | undefined => {
  const text = env[name];
  if (!text) return undefined;
  if (SCHEME.test(text)) return bucketPlace(env, name, text);
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { kind: "folder", folder: resolve(text) };
  throw new UsageFailure(`${name} must be a folder or s3://<bucket>/<prefix>, not '${text}'.`);
};

/** Whether two places have the same objects. */
export const isSamePlace = (one: ObjectsPlace, other: ObjectsPlace): boolean =>
  one.kind === "folder"
    ? other.kind === "folder" && one.folder === other.folder
    : other.kind === "bucket" &&
      [one.endpoint, one.bucket, one.prefix].join() === [other.endpoint, other.bucket, other.prefix].join();

/** @errors UsageFailure with the name and the allowed values of the variable */
export const objectsConfig = (env: Environment = process.env): ObjectsConfig => {
  const place = placeOf(env, "PARLEY_OBJECTS");
  const previous = placeOf(env, "PARLEY_OBJECTS_PREVIOUS");
  if (place && previous && isSamePlace(place, previous))
    throw new UsageFailure(
      "PARLEY_OBJECTS and PARLEY_OBJECTS_PREVIOUS name the same place. Unset PARLEY_OBJECTS_PREVIOUS, or name the earlier place.",
    );
  return { place, previous, isSwept: switchOf(env, "PARLEY_OBJECTS_SWEEP", true) };
};
