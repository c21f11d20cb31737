import { admin, openapi, transfer, type Resource } from "@parley/contract";
import type { Guard } from "../allowance/guard.ts";
import type { Mount } from "../http/edge.ts";
import { JSON_TYPE } from "../http/media-type.ts";
import { addRoute } from "../http/route.ts";
import type { Slice } from "../http/slice.ts";
import { adminAdmission } from "./admission.ts";

/** Where what it is, and how to use it, is written; it asks for no key, as the API's own document asks for no token. */
export const DOCUMENT = "/admin/openapi.json";

/** Mounts the addresses below /admin: the kernel of the API with another door. */
export const adminMount =
  ({
    key,
    slice,
    guard,
    tables = { admin, transfer },
  }: {
    readonly key: string;
    readonly slice: Slice;
    readonly guard: Guard;
    /** What its document says. */
    readonly tables?: Readonly<Record<string, Resource>>;
  }): Mount =>
  (app, onRequest) => {
    const deps = { admit: adminAdmission(key, guard), originOf: () => "", fresh: (text: string) => text, base: "" };
    for (const [operation, row] of Object.entries(slice.resource)) {
      const handler = slice.handlers[operation];
      if (handler) addRoute(app, deps, row, handler);
    }
    const document = JSON.stringify(openapi("/", tables, "Parley admin"));
    app.get(DOCUMENT, { onRequest }, async (_, reply) => reply.header("content-type", JSON_TYPE).send(document));
  };
