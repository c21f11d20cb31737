import type { Pool } from "@parley/database";
import type { Slice } from "../http/slice.ts";
import type { Jobs, Tasks } from "../jobs/index.ts";
import type { FilesOf } from "../messages/attachments.ts";
import type { ObjectsPart } from "../objects/part.ts";
import type { Ports } from "../ports.ts";
import type { Eraser } from "../users/db/removal.ts";
import { attachments } from "./attachment.ts";
import { erasing } from "./erasing.ts";
import { fileSlice } from "./files.ts";
import { fresh, type Fresh } from "./fresh.ts";
import { imageSlice } from "./images.ts";
import { uploadStore } from "./store.ts";

export interface UploadsOptions {
  readonly kept: ObjectsPart;
  readonly db: Pool;
  readonly jobs: Jobs;
  readonly ports: Ports;
  /** @units seconds */
  readonly addressSeconds: number | undefined;
  /** Of addresses outside of a reply. */
  readonly origin: () => string;
}

export interface UploadsPart {
  readonly slices: readonly Slice[];
  readonly fresh: Fresh;
  readonly filesOf: FilesOf;
  readonly eraser: Eraser;
  readonly tasks: Tasks;
}

/** @assumed The address of an upload works for 7 days. @units seconds */
const WEEK = 7 * 24 * 60 * 60;

/** What is uploaded, and what others do with it. */
export const uploadsPart = ({ kept, db, jobs, ports, addressSeconds = WEEK, origin }: UploadsOptions): UploadsPart => {
  const deps = { ...kept, store: uploadStore(db), ports, addressSeconds };
  return {
    slices: [imageSlice(deps), fileSlice(deps)],
    fresh: fresh(deps),
    filesOf: attachments({ ...deps, origin }),
    ...erasing({ ...deps, jobs, now: ports.now }),
  };
};
