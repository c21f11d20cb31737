import { admin, routeOf, transfer, type AccountDocument, type AppliedDocument, type Endpoint } from "@parley/contract";
import { serviceHarness, type ServiceHarness, type ServiceHarnessOptions } from "../../../service-harness.ts";

export const ADMIN_KEY = "parley_admin_of-this-test";

/** A response of the admin API. */
export interface AdminResponse<T> {
  readonly code: number;
  readonly body: T & { status?: string; message?: string };
}

/** The service with its admin API, and a client for it. */
export interface AdminHarness extends ServiceHarness {
  adminRequest<T = object>(method: string, path: string, body?: unknown, key?: string): Promise<AdminResponse<T>>;
  applyDocument(document: unknown, query?: string): Promise<AdminResponse<AppliedDocument>>;
  /** @errors Error if the document is refused */
  applyOrThrow(document: unknown, query?: string): Promise<AppliedDocument>;
  exportDocument(name: string): Promise<AccountDocument>;
}

export const adminHarness = async (options: ServiceHarnessOptions = {}): Promise<AdminHarness> => {
  const w = await serviceHarness({ ...options, adminKey: ADMIN_KEY });
  const adminRequest = async <T>(
    method: string,
    path: string,
    body?: unknown,
    key = ADMIN_KEY,
  ): Promise<AdminResponse<T>> => {
    const reply = await w.raw(method, path, {
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { code: reply.status, body: (text === "" ? {} : JSON.parse(text)) as AdminResponse<T>["body"] };
  };
  const applyDocument = (document: unknown, query = "") => {
    const { name } = document as { name?: string };
    return adminRequest<AppliedDocument>(
      "PUT",
      `/admin/accounts/${encodeURIComponent(name ?? "none")}${query}`,
      document,
    );
  };
  return {
    ...w,
    adminRequest,
    applyDocument,
    async applyOrThrow(document, query) {
      const { code, body } = await applyDocument(document, query);
      if (code !== 200) throw new Error(`${code} ${body.status}: ${body.message}`);
      return body;
    },
    exportDocument: async (name) => (await adminRequest<AccountDocument>("GET", `/admin/accounts/${name}`)).body,
  };
};

export const ADMIN_ROWS: readonly Endpoint[] = [...Object.values(admin), ...Object.values(transfer)];

/** Method and path of an endpoint, with nonexistent ids as path parameters. */
export const requestLineOf = (row: Endpoint): { method: string; path: string } => {
  const { method, path } = routeOf(row);
  return { method, path: path.replace(/\{\w+\}/g, "none") };
};
