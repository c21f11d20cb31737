import fc from "fast-check";
import { operationsOf, type Json } from "./openapi-operations.ts";
import { faultOf, collectIds } from "./response-check.ts";
import { generatedRequests, type GeneratedRequest } from "./generated-requests.ts";
import { curlOf, send, requestOf, type KnownIds, type FuzzRequest } from "./send-request.ts";

export interface FuzzOptions {
  /** Without the version segment. */
  readonly url: string;
  readonly token: string;
  /** Minimum number of requests. */
  readonly requests: number;
  readonly seed: number;
  /** Concurrent sequences. */
  readonly concurrency: number;
  /** Called after each sequence. */
  readonly progress?: (sent: number) => void;
}

interface FuzzFinding {
  readonly fault: string;
  /** The shrunk sequence; its last request is the one with the wrong response. */
  readonly lines: readonly string[];
  readonly response: string;
}

export interface FuzzOutcome {
  readonly sent: number;
  /** Number of responses by operation and status. */
  readonly responses: ReadonlyMap<string, number>;
  readonly finding: FuzzFinding | undefined;
}

/** Thrown inside a property, so that fast-check shrinks the sequence. */
class FaultFound extends Error {
  override readonly name = "Found";
  readonly finding: FuzzFinding;
  constructor(finding: FuzzFinding) {
    super(finding.fault);
    this.finding = finding;
  }
}

/** Returns objects of the account that every sequence may refer to. */
async function accountIds(url: string, token: string): Promise<KnownIds> {
  const known: KnownIds = new Map([["provider", ["chatapp", "whatsapp", "nobody"]]]);
  for (const name of ["channels", "groups", "roles", "agents/status"]) {
    const headers = { authorization: `Bearer ${token}` };
    const got = await send(url, { method: "GET", path: `/v2/${name}`, headers, body: undefined });
    collectIds("", got, known);
  }
  return known;
}

const SEQUENCE_LENGTH_MAX = 12;

const post = (path: string, body: unknown, token: string): FuzzRequest => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
});

let createdAgents = 0;

/** Creates a user with a conversation, and an agent, which random requests rarely create in the right order. */
async function accountFixture(url: string, token: string, known: KnownIds): Promise<readonly FuzzRequest[]> {
  const user = post("/v2/users", { first_name: "Ann", phone: "+12015550123" }, token);
  collectIds("createUser", await send(url, user), known);
  const id = known.get("user")?.[0];
  const messages = { actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Hello" } }] };
  const channel_id = known.get("channel")?.[0];
  const conversation = post("/v2/conversations", { channel_id, users: [{ id }], messages: [messages] }, token);
  collectIds("createConversation", await send(url, conversation), known);
  const agent = post(
    "/v2/agents",
    { email: `agent${(createdAgents += 1)}@acme.example`, groups: known.get("group") },
    token,
  );
  collectIds("createAgent", await send(url, agent), known);
  return [user, conversation, agent];
}

/** Sends sequences of requests generated from the service's own document, until enough were sent or one had a wrong response. */
export async function fuzz({ url, token, requests, seed, concurrency, progress }: FuzzOptions): Promise<FuzzOutcome> {
  const document = (await (await fetch(`${url}/v2/openapi.json`)).json()) as Json;
  const { operations, definitions } = operationsOf(document);
  const sequences = fc.array(generatedRequests(operations, definitions), {
    minLength: 1,
    maxLength: SEQUENCE_LENGTH_MAX,
  });
  const directory = await accountIds(url, token);
  const responses = new Map<string, number>();
  let sent = 0;
  let finding: FuzzFinding | undefined;

  const runSequence = async (drafts: readonly GeneratedRequest[]): Promise<void> => {
    const known: KnownIds = new Map([...directory].map(([kind, ids]) => [kind, [...ids]]));
    const requestsSent = [...(await accountFixture(url, token, known))];
    sent += requestsSent.length;
    for (const draft of drafts) {
      const outgoing = requestOf(draft, known, token);
      requestsSent.push(outgoing);
      sent++;
      const got = await send(url, outgoing).catch((error: unknown) => String(error));
      const fault = typeof got === "string" ? got : faultOf(draft.operation, got);
      if (fault !== undefined || typeof got === "string") {
        const lines = requestsSent.map((each) => curlOf(url, each));
        const response = typeof got === "string" ? got : `${got.code} ${got.text.slice(0, 2_000)}`;
        throw new FaultFound({ fault: `${draft.operation.id}: ${String(fault)}`, lines, response });
      }
      const key = `${draft.operation.id} ${got.code}`;
      responses.set(key, (responses.get(key) ?? 0) + 1);
      collectIds(draft.operation.id, got, known);
    }
    progress?.(sent);
  };

  const runSequences = async (number: number): Promise<void> => {
    for (let round = 0; sent < requests && !finding; round++) {
      const result = await fc.check(fc.asyncProperty(sequences, runSequence), {
        seed: seed + number + round * concurrency,
        numRuns: 20,
        interruptAfterTimeLimit: 120_000,
      });
      const error: unknown = result.failed ? result.errorInstance : undefined;
      if (error instanceof FaultFound) finding ??= error.finding;
      else if (result.failed) throw new Error("a sequence failed", { cause: error });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, (_, number) => runSequences(number)));
  return { sent, responses, finding };
}
