import { ObjectStoreFailure, type StorageTrouble } from "./object-store.ts";

const MOUNT = "Look whether its file system is mounted and answers.";
const ACCESS = "Let the user that runs Parley read and write it.";
const OPEN_FILES = "Raise the limit of open files.";

/** Advice to an operator about an error code of the file system. Other errors concern the content, or are defects. */
const STEPS: Readonly<Record<string, readonly [trouble: StorageTrouble, step: string]>> = {
  ENOSPC: ["full", "Free space on its disk, or enlarge it."],
  EDQUOT: ["full", "Raise the disk quota of the user that runs Parley, or free space."],
  EFBIG: ["full", "Raise the largest size of a file for the user that runs Parley (ulimit -f)."],
  EROFS: ["read-only", "Its file system is read-only: the log of the system has the reason. Mount it for writing."],
  EACCES: ["read-only", ACCESS],
  EPERM: ["read-only", ACCESS],
  EIO: ["unavailable", "Its disk fails: look at the log of the system."],
  ENOENT: ["unavailable", MOUNT],
  ENOTDIR: ["unavailable", MOUNT],
  ENODEV: ["unavailable", MOUNT],
  ESTALE: ["unavailable", MOUNT],
  EMFILE: ["unavailable", OPEN_FILES],
  ENFILE: ["unavailable", OPEN_FILES],
};

/** Passes errors of the file system on as failures of the storage. @errors ObjectStoreFailure; other errors of `work` */
export const withFolderFailures = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { code = "", syscall } = error as NodeJS.ErrnoException;
    const found = syscall === undefined ? undefined : STEPS[code];
    if (!found) throw error;
    const [trouble, step] = found;
    throw new ObjectStoreFailure(
      `The folder of uploads ${folder} does not work (${code} in ${syscall}). ${step}`,
      trouble,
    );
  }
};

/** Storage with less space is reported as full, before an upload fails. @units bytes */
export const failFull = (folder: string, freeBytes: number): never => {
  throw new ObjectStoreFailure(
    `The disk of the folder of uploads ${folder} has ${Math.floor(freeBytes / 1_048_576)} MiB left, less than the largest upload needs. ${STEPS["ENOSPC"]?.[1]}`,
    "full",
  );
};
