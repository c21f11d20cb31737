import { admin, routeOf, transfer, type AccountDocument, type AppliedDocument, type Endpoint } from "@parley/contract";
import { world, type World, type WorldOptions } from "../service-harness.ts";

export const KEY = "parley_admin_of-this-test";

/** A response of the admin API. */
export interface AdminResponse<T> {
  readonly code: number;
  readonly body: T & { status?: string; message?: string };
}

/** The service with its admin API, and a client for it. */
export interface AdminWorld extends World {
  ask<T = object>(method: string, path: string, body?: unknown, key?: string): Promise<AdminResponse<T>>;
  apply(document: unknown, query?: string): Promise<AdminResponse<AppliedDocument>>;
  /** @errors Error if the document is refused */
  applied(document: unknown, query?: string): Promise<AppliedDocument>;
  exported(name: string): Promise<AccountDocument>;
}

export const adminWorld = async (options: WorldOptions = {}): Promise<AdminWorld> => {
  const w = await world({ ...options, adminKey: KEY });
  const ask = async <T>(method: string, path: string, body?: unknown, key = KEY): Promise<AdminResponse<T>> => {
    const reply = await w.raw(method, path, {
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { code: reply.status, body: (text === "" ? {} : JSON.parse(text)) as AdminResponse<T>["body"] };
  };
  const apply = (document: unknown, query = "") => {
    const { name } = document as { name?: string };
    return ask<AppliedDocument>("PUT", `/admin/accounts/${encodeURIComponent(name ?? "none")}${query}`, document);
  };
  return {
    ...w,
    ask,
    apply,
    async applied(document, query) {
      const { code, body } = await apply(document, query);
      if (code !== 200) throw new Error(`${code} ${body.status}: ${body.message}`);
      return body;
    },
    exported: async (name) => (await ask<AccountDocument>("GET", `/admin/accounts/${name}`)).body,
  };
};

export const ADMIN_ROWS: readonly Endpoint[] = [...Object.values(admin), ...Object.values(transfer)];

/** Method and path of an endpoint, with nonexistent ids as path parameters. */
export const requestLineOf = (row: Endpoint): { method: string; path: string } => {
  const { method, path } = routeOf(row);
  return { method, path: path.replace(/\{\w+\}/g, "none") };
};
