import type { Pool } from "@parley/database";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/index.ts";
import type { FilesOf } from "../conversations/compose-message.ts";
import type { OpenedObjects } from "../../base/objects/open-objects.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { createFilesOf, createUploadFile, fileRoutes, type UploadFile } from "./files.ts";
import { createUploadEraser } from "./erase.ts";
import { createResignUrls, type ResignUrls } from "./resign-urls.ts";
import { createUploadImage, imageRoutes, type UploadImage } from "./images.ts";
import { uploadStore } from "./store.ts";

interface UploadsOptions {
  readonly openedObjects: OpenedObjects;
  readonly db: Pool;
  readonly jobs: BackgroundJobs;
  readonly ports: Ports;
  /** @units seconds */
  readonly addressSeconds: number | undefined;
  /** Origin of URLs outside of a reply. */
  readonly origin: () => string;
}

interface Uploads {
  readonly slices: readonly ResourceRoutes[];
  readonly uploadImage: UploadImage;
  readonly uploadFile: UploadFile;
  readonly resignUrls: ResignUrls;
  readonly filesOf: FilesOf;
  readonly eraser: PersonalDataEraser;
  readonly tasks: JobTasks;
}

/** @assumed The URL of an upload is valid for 7 days. @units seconds */
const ADDRESS_SECONDS_DEFAULT = 7 * 24 * 60 * 60;

/** Wires uploads: routes, URL signing, erasure. */
export const createUploads = ({
  openedObjects,
  db,
  jobs,
  ports,
  addressSeconds = ADDRESS_SECONDS_DEFAULT,
  origin,
}: UploadsOptions): Uploads => {
  const deps = { ...openedObjects, store: uploadStore(db), ports, addressSeconds };
  const [uploadImage, uploadFile] = [createUploadImage(deps), createUploadFile(deps)];
  return {
    slices: [imageRoutes(uploadImage), fileRoutes(uploadFile)],
    uploadImage,
    uploadFile,
    resignUrls: createResignUrls(deps),
    filesOf: createFilesOf({ ...deps, origin }),
    ...createUploadEraser({ ...deps, jobs, now: ports.now }),
  };
};
