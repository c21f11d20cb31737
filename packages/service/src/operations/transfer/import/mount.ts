import { PassThrough, Readable } from "node:stream";
import {
  LINES_TYPE,
  refuse,
  transfer,
  UNSUPPORTED_MEDIA_TYPE,
  type ImportProgress,
  type ExistingRecordPolicy,
  type Problem,
} from "@parley/contract";
import type { Database, Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccountDataOwner } from "../../administration/lifecycle/account-data.ts";
import { createAdminAdmission } from "../../administration/endpoints/mount.ts";
import type { SessionAdmission } from "../../../identity/edge/session-admission.ts";
import type { FailedAuthenticationLimit } from "../../../identity/allowance/failed-authentication.ts";
import { openExportLines } from "../export/export-lines.ts";
import type { MountRoutes } from "../../../http/area-module.ts";
import { isIdentityEncoding } from "../../../http/media-type.ts";
import { checkEscapes, queryCheckOf, type RawQuery } from "../../../http/request-check.ts";
import { setRateLimitHeaders } from "../../../identity/edge/rate-limit-headers.ts";
import { errorReplyOf } from "../../../identity/edge/error-reply.ts";
import type { AuditedAccount, RecordAudit } from "../../../identity/audit/record.sql.ts";
import type { RequestActor } from "../../../http/route-handlers.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { importRecords } from "./import-lines.ts";

interface TransferDeps {
  readonly key: string;
  readonly guard: FailedAuthenticationLimit;
  readonly sessionAdmission: SessionAdmission;
  readonly database: Database;
  readonly pool: Pool;
  readonly ports: Ports;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Data of accounts in tables of other components, which an export contains. */
  readonly accountData: readonly AccountDataOwner[];
  readonly recordAudit: RecordAudit;
  readonly log: Log;
}

interface ImportQuery {
  readonly account?: string;
  readonly dry_run?: boolean;
  readonly present?: ExistingRecordPolicy;
}
interface ExportQuery {
  readonly account?: string;
  readonly since?: string;
}

const LINES_PATTERN = /^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/i;

/** @errors UNSUPPORTED_MEDIA_TYPE */
const checkType = ({ headers }: FastifyRequest): void => {
  if (!LINES_PATTERN.test(headers["content-type"] ?? "") || !isIdentityEncoding(headers["content-encoding"]))
    refuse(
      UNSUPPORTED_MEDIA_TYPE,
      `The body must be lines of JSON: send it as 'Content-Type: ${LINES_TYPE}', with no Content-Encoding.`,
    );
};

/** These endpoints accept the admin key only. */
const operatorOf = ({ ip }: FastifyRequest): RequestActor => ({ type: "operator", address: ip });

const problemLine = ({ code, status }: Problem, message: string, line: number) => ({ line, code, status, message });

/** Mounts the import and export endpoints. Both bodies are streamed. */
export const transferMount =
  ({
    key,
    guard,
    sessionAdmission,
    database,
    pool,
    ports,
    domain,
    accountData,
    recordAudit,
    log,
  }: TransferDeps): MountRoutes =>
  async (app) => {
    const admit = createAdminAdmission({ key, guard, sessionAdmission });
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      request.caller = await admit(request, transfer.importRecords.access);
      checkEscapes(request.url);
      if (request.rateLimit) setRateLimitHeaders(reply, request.rateLimit);
    };
    const [checkImport, checkExport] = [transfer.importRecords.query, transfer.exportRecords.query].map(queryCheckOf);
    const linesOf = (reply: FastifyReply) => reply.code(200).header("content-type", LINES_TYPE);

    /** Each account's audit log has an entry, also of an export of all accounts. */
    const recordExport = (accounts: readonly AuditedAccount[], actor: RequestActor, since: string | undefined) =>
      pool.transaction(async (tx) => {
        const details = since === undefined ? {} : { since };
        for (const account of accounts)
          await recordAudit(tx, { actor, action: "data.export", account, subject: account.name, details });
      });

    const handleImport = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { account, dry_run: dryRun, present } = checkImport?.(request.query as RawQuery).values as ImportQuery;
      checkType(request);
      const output = new PassThrough();
      const disconnected = new AbortController();
      output.once("close", () => disconnected.abort());
      void linesOf(reply).send(output);
      let last: ImportProgress = { line: 0, done: false, created: 0, updated: 0, unchanged: 0, refused: 0 };
      const progress = (next: ImportProgress) => {
        last = next;
        // Each line contains the totals of the lines before it, so lines may be skipped for a caller that doesn't read.
        if (next.problem || !output.writableNeedDrain) output.write(`${JSON.stringify(next)}\n`);
      };
      try {
        // Without destroyOnReturn: a destroyed request could not be read to its end, and the connection could not be reused.
        const source: AsyncIterable<Uint8Array> = request.raw.iterator({ destroyOnReturn: false });
        const { signal } = disconnected;
        const options = {
          database,
          pool,
          ports,
          domain,
          actor: operatorOf(request),
          accountData,
          source,
          account,
          dryRun,
          present,
          signal,
          progress,
        };
        output.end(`${JSON.stringify(await importRecords(options))}\n`);
      } catch (error) {
        // The status is already sent. The last line of the reply contains the error.
        if (request.raw.errored) output.destroy();
        else {
          const { problem, message } = errorReplyOf(error, (text) => log(`POST /admin/import failed: ${text}`));
          const { line } = last;
          output.end(`${JSON.stringify({ ...last, refused: 1, problem: problemLine(problem, message, line + 1) })}\n`);
        }
      } finally {
        // Discards the rest of the request, so that the caller can read the reply.
        request.raw.resume();
      }
      return reply;
    };

    const handleExport = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { account, since } = checkExport?.(request.query as RawQuery).values as ExportQuery;
      const lines = await openExportLines({
        database,
        account,
        since,
        accountData,
        opened: (accounts) => recordExport(accounts, operatorOf(request), since),
      });
      return linesOf(reply).send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
    };

    // A separate Fastify context without body parsers: bodies are streamed here and parsed as a whole elsewhere.
    await app.register(async (context) => {
      context.removeAllContentTypeParsers();
      context.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
      const { importRecords: importRow, exportRecords: exportRow } = transfer;
      const config = (route: string) => ({ route, addsMessages: false });
      context.post("/admin/import", { config: config(importRow.route), onRequest }, handleImport);
      context.get("/admin/export", { config: config(exportRow.route), onRequest }, handleExport);
    });
  };
