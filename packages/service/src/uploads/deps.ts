import type { Addresses } from "../objects/addresses.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { Spool } from "../objects/spool.ts";
import type { Ports } from "../ports.ts";
import type { UploadStore } from "./store.ts";

/** All that these handlers may touch. */
export interface UploadDeps {
  readonly objects: ObjectStore;
  readonly addresses: Addresses;
  readonly spool: Spool;
  readonly store: UploadStore;
  readonly ports: Ports;
  /** How long an address works. @units seconds */
  readonly addressSeconds: number;
}
