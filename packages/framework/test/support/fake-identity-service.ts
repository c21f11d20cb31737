import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { auditLog, identityAdmin, schemaErrors, type SessionAgent } from "@parley/contract";

/** An entry as it arrived, with the account of its address. */
type ReportedChange = Readonly<Record<string, unknown>> & { readonly account: string };

/** The part of the service that the app host asks with the admin key, over real HTTP. Bodies are checked by the rows of the contract. */
export interface FakeIdentityService {
  readonly origin: string;
  readonly adminKey: string;
  /** Agents by session cookie. */
  readonly sessions: Map<string, SessionAgent>;
  /** Cookies of all questions, oldest first. */
  readonly questions: string[];
  readonly changes: ReportedChange[];
  /** Paths of all requests, oldest first. */
  readonly requests: string[];
  /** -> the number of requests that are not answered and not given up */
  pending(): number;
  /** What was wrong with requests; empty if every one was as the contract says. */
  readonly faults: string[];
  /** Answers further requests with this status or not at all; undefined restores the regular answers. */
  setFailure(failure: number | "silent" | undefined): void;
  close(): Promise<void>;
}

/** @shape name: unique part of the cookie */
export const cookieOfSession = (name: string): string => `${name}-${"s".repeat(42)}`.slice(0, 43);

export const sessionAgent = (more: Partial<SessionAgent> = {}): SessionAgent => ({
  account: "acme",
  agent_id: "agent-1",
  email: "ada@example.com",
  first_name: "Ada",
  role_id: "ADMIN",
  role: "ADMIN",
  scope: "Global",
  groups: [],
  ...more,
});

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text) as Record<string, unknown>;
};

const CHANGES_PATH = /^\/admin\/accounts\/([^/]+)\/audit-log$/;

export const startFakeIdentityService = async (): Promise<FakeIdentityService> => {
  const adminKey = `parley_admin_${"k".repeat(32)}`;
  const sessions = new Map<string, SessionAgent>();
  const questions: string[] = [];
  const changes: ReportedChange[] = [];
  const requests: string[] = [];
  let pending = 0;
  const faults: string[] = [];
  let failure: number | "silent" | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const { method, url = "", headers } = request;
    requests.push(url);
    pending += 1;
    response.once("close", () => (pending -= 1));
    const body = await bodyOf(request);
    if (headers.authorization !== `Bearer ${adminKey}`) faults.push(`${url}: wrong admin key`);
    const isQuestion = url === "/admin/session-verifications";
    if (isQuestion) questions.push(String(body["cookie"]));
    if (failure === "silent") return;
    if (failure !== undefined) return void send(failure, { message: "failure" });
    const account = CHANGES_PATH.exec(url)?.[1];
    const row = isQuestion ? identityAdmin.verifySession : auditLog.recordAppChange;
    const fault = method === "POST" && (isQuestion || account !== undefined) ? "" : `no route ${method} ${url}`;
    const errors = schemaErrors({ ...row.body, additionalProperties: false }, body).map(
      ({ pointer, message }) => `${url}${pointer} ${message}`,
    );
    faults.push(...errors, ...(fault === "" ? [] : [fault]));
    if (errors.length > 0 || fault !== "") return void send(400, { message: "wrong" });
    if (!isQuestion) {
      changes.push({ account: account ?? "", ...body });
      return void send(201, { code: 201, status: "OK", message: "recorded" });
    }
    const agent = sessions.get(String(body["cookie"]));
    return void send(200, agent ? { agent } : {});
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    adminKey,
    sessions,
    questions,
    changes,
    requests,
    pending: () => pending,
    faults,
    setFailure: (next) => void (failure = next),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
