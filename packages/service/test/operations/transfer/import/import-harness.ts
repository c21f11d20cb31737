import type { ImportedRecord, ImportProgress } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";
import { ADMIN_KEY, adminHarness, type AdminHarness } from "../../administration/endpoints/admin-harness.ts";
import type { ServiceHarnessOptions } from "../../../service-harness.ts";

const NONE: ImportProgress = { line: 0, done: false, created: 0, updated: 0, unchanged: 0, refused: 0 };

/** A response, line by line. */
interface ImportResponse {
  readonly code: number;
  readonly lines: readonly ImportProgress[];
  readonly last: ImportProgress;
  readonly text: string;
}

/** The admin API with its two endpoints for records. */
export interface ImportHarness extends AdminHarness {
  sendImport(body: BodyInit, query?: string, headers?: Record<string, string>): Promise<ImportResponse>;
  /** @shape records: texts are sent unchanged */
  importRecords(records: readonly (object | string)[], query?: string): Promise<ImportResponse>;
  exportRecords(query?: string): Promise<{ code: number; text: string; records: ImportedRecord[] }>;
  countRows(table: string, where?: string): Promise<number>;
}

export const linesOf = (records: readonly (object | string)[]): string =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n");

const parsed = <T>(text: string): T[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

export const importHarness = async (options: ServiceHarnessOptions = {}): Promise<ImportHarness> => {
  const w = await adminHarness(options);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const authorization = `Bearer ${ADMIN_KEY}`;
  const sendImport = async (
    body: BodyInit,
    query = "",
    headers: Record<string, string> = {},
  ): Promise<ImportResponse> => {
    const reply = await w.raw("POST", `/admin/import${query}`, {
      headers: { authorization, "content-type": "application/x-ndjson", ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: "half" }),
    });
    const text = await reply.text();
    const lines = parsed<ImportProgress>(text);
    return { code: reply.status, lines, last: lines.at(-1) ?? NONE, text };
  };
  return {
    ...w,
    sendImport,
    importRecords: (records, query) => sendImport(linesOf(records), query),
    async exportRecords(query = "") {
      const reply = await w.raw("GET", `/admin/export${query}`, { headers: { authorization } });
      const text = await reply.text();
      return { code: reply.status, text, records: reply.ok ? parsed<ImportedRecord>(text) : [] };
    },
    countRows: async (table, where = "true") => {
      const row = await pool.one<{ count: number }>(
        statement("", `select count(*)::integer as count from ${table} where ${where}`),
        [],
      );
      return row?.count ?? 0;
    },
    async close() {
      await pool.end();
      await w.close();
    },
  };
};
