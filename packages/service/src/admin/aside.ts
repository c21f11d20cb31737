import type { Server } from "node:http";
import { admin, transfer, type Resource } from "@parley/contract";
import { guard as openGuard } from "../allowance/guard.ts";
import { kernel } from "../http/kernel.ts";
import type { Observe } from "../http/record.ts";
import type { Slice } from "../http/slice.ts";
import type { Ports } from "../ports.ts";
import { adminMount, DOCUMENT } from "./mount.ts";

/** Addresses below /admin that outlive the service beside which they stand. */
export interface Aside {
  /** What requests are told to: nobody listens here. */
  readonly server: Server;
  /** Whether a path is one of these addresses, or below the one given. */
  isBelow(path: string): boolean;
  close(): Promise<void>;
}

export interface AsideOptions {
  readonly adminKey: string;
  /** Where the addresses begin, such as /admin/world. */
  readonly place: string;
  /** Name of the table in the document. */
  readonly name: string;
  readonly slice: Slice;
  readonly now: Ports["now"];
  readonly observe?: Observe | undefined;
  readonly log: (line: string) => void;
}

/** Opens them behind the door of the other addresses for the owner; their document says those too. */
export async function aside({ adminKey: key, place, name, slice, now, observe, log }: AsideOptions): Promise<Aside> {
  const guard = openGuard({ now });
  const core = kernel({ guard, observe, log });
  const { app } = core;
  const tables: Record<string, Resource> = { admin, transfer, [name]: slice.resource };
  void adminMount({ key, slice, guard, tables })(app, (_request, _reply) => Promise.resolve());
  core.addOthers();
  await app.ready();
  return {
    server: app.server,
    isBelow: (path) => path === DOCUMENT || path === place || path.startsWith(`${place}/`),
    close: () => app.close(),
  };
}
