import { INSTANCE_COMMANDS as INSTANCE, type EnvironmentCommand, type EnvironmentRow } from "./commands.ts";

const PAGE = ["Uploads and reports", "operators/objects.md"] as const;
const COMMANDS: readonly EnvironmentCommand[] = [...INSTANCE, "backup", "restore", "objects"];
/** Buckets are for `parley serve`. */
const BUCKET_COMMANDS: readonly EnvironmentCommand[] = ["serve", "backup", "restore", "objects"];

/** Environment variables of the storage of uploads and reports. */
export const OBJECTS_ENVIRONMENT = {
  PARLEY_OBJECTS: {
    group: "Uploads and reports",
    sets: "folder of uploads and reports, or s3://<bucket>/<prefix>; processes on one database share it",
    unset: "objects in the data folder",
    commands: COMMANDS,
    page: PAGE,
  },
  PARLEY_OBJECTS_PREVIOUS: {
    group: "Uploads and reports",
    sets: "earlier folder or s3://<bucket>/<prefix>, which is also read while its objects are moved",
    unset: "none",
    commands: COMMANDS,
    page: PAGE,
  },
  PARLEY_OBJECTS_SWEEP: {
    group: "Uploads and reports",
    sets: "off: objects that no row of the database refers to are kept, for a place that another database uses, too",
    unset: "on",
    commands: ["serve"],
    page: PAGE,
  },
  PARLEY_S3_ENDPOINT: {
    group: "Uploads and reports",
    sets: "address of the S3-compatible storage, such as https://s3.example.com",
    unset: "that of Amazon S3 in the region",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
  PARLEY_S3_REGION: {
    group: "Uploads and reports",
    sets: "region of the bucket",
    unset: "us-east-1",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
  PARLEY_S3_KEY_ID: {
    group: "Uploads and reports",
    sets: "id of the access key",
    unset: "none",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
  PARLEY_S3_SECRET: {
    group: "Uploads and reports",
    sets: "secret of the access key",
    unset: "none",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
  PARLEY_S3_SECRET_FILE: {
    group: "Uploads and reports",
    sets: "file with the secret of the access key, in place of PARLEY_S3_SECRET",
    unset: "none",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
  PARLEY_S3_PATH_STYLE: {
    group: "Uploads and reports",
    sets: "on: the bucket is in the path of addresses; off: in the host name",
    unset: "on if PARLEY_S3_ENDPOINT is set",
    commands: BUCKET_COMMANDS,
    page: PAGE,
  },
} as const satisfies Readonly<Record<string, EnvironmentRow>>;
