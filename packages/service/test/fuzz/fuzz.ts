import fc from "fast-check";
import { operationsOf, type Json } from "./openapi-operations.ts";
import { faultOf, collectIds } from "./response-check.ts";
import { draftsOf, type Draft } from "./generated-requests.ts";
import { curlOf, send, requestOf, type Known, type FuzzRequest } from "./send-request.ts";

export interface FuzzOptions {
  /** Without the version segment. */
  readonly url: string;
  readonly token: string;
  /** Minimum number of requests. */
  readonly requests: number;
  readonly seed: number;
  /** Concurrent sequences. */
  readonly lanes: number;
  /** Called after each sequence. */
  readonly progress?: (sent: number) => void;
}

export interface Finding {
  readonly fault: string;
  /** The shrunk sequence; its last request is the one with the wrong response. */
  readonly lines: readonly string[];
  readonly answer: string;
}

export interface FuzzOutcome {
  readonly sent: number;
  /** Number of responses by operation and status. */
  readonly answers: ReadonlyMap<string, number>;
  readonly finding: Finding | undefined;
}

/** Thrown inside a property, so that fast-check shrinks the sequence. */
class Found extends Error {
  override readonly name = "Found";
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(finding.fault);
    this.finding = finding;
  }
}

/** Returns objects of the account that every sequence may refer to. */
async function directoryOf(url: string, token: string): Promise<Known> {
  const known: Known = new Map([["provider", ["chatapp", "whatsapp", "nobody"]]]);
  for (const name of ["channels", "groups", "roles", "agents/status"]) {
    const headers = { authorization: `Bearer ${token}` };
    const got = await send(url, { method: "GET", path: `/v2/${name}`, headers, body: undefined });
    collectIds("", got, known);
  }
  return known;
}

const LONGEST = 12;

const post = (path: string, body: unknown, token: string): FuzzRequest => ({
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(body)),
});

let hired = 0;

/** Creates a user with a conversation, and an agent, which random requests rarely create in the right order. */
async function scene(url: string, token: string, known: Known): Promise<readonly FuzzRequest[]> {
  const user = post("/v2/users", { first_name: "Ann", phone: "+12015550123" }, token);
  collectIds("createUser", await send(url, user), known);
  const id = known.get("user")?.[0];
  const said = { actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Hello" } }] };
  const channel_id = known.get("channel")?.[0];
  const conversation = post("/v2/conversations", { channel_id, users: [{ id }], messages: [said] }, token);
  collectIds("createConversation", await send(url, conversation), known);
  const agent = post("/v2/agents", { email: `agent${(hired += 1)}@acme.example`, groups: known.get("group") }, token);
  collectIds("createAgent", await send(url, agent), known);
  return [user, conversation, agent];
}

/** Sends sequences of requests generated from the service's own document, until enough were sent or one had a wrong response. */
export async function fuzz({ url, token, requests, seed, lanes, progress }: FuzzOptions): Promise<FuzzOutcome> {
  const document = (await (await fetch(`${url}/v2/openapi.json`)).json()) as Json;
  const { operations, definitions } = operationsOf(document);
  const sequences = fc.array(draftsOf(operations, definitions), { minLength: 1, maxLength: LONGEST });
  const directory = await directoryOf(url, token);
  const answers = new Map<string, number>();
  let sent = 0;
  let finding: Finding | undefined;

  const play = async (drafts: readonly Draft[]): Promise<void> => {
    const known: Known = new Map([...directory].map(([kind, ids]) => [kind, [...ids]]));
    const played = [...(await scene(url, token, known))];
    sent += played.length;
    for (const draft of drafts) {
      const outgoing = requestOf(draft, known, token);
      played.push(outgoing);
      sent++;
      const got = await send(url, outgoing).catch((error: unknown) => String(error));
      const fault = typeof got === "string" ? got : faultOf(draft.operation, got);
      if (fault !== undefined || typeof got === "string") {
        const lines = played.map((each) => curlOf(url, each));
        const answer = typeof got === "string" ? got : `${got.code} ${got.text.slice(0, 2_000)}`;
        throw new Found({ fault: `${draft.operation.id}: ${String(fault)}`, lines, answer });
      }
      const key = `${draft.operation.id} ${got.code}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
      collectIds(draft.operation.id, got, known);
    }
    progress?.(sent);
  };

  const lane = async (number: number): Promise<void> => {
    for (let round = 0; sent < requests && !finding; round++) {
      const result = await fc.check(fc.asyncProperty(sequences, play), {
        seed: seed + number + round * lanes,
        numRuns: 20,
        interruptAfterTimeLimit: 120_000,
      });
      const error: unknown = result.failed ? result.errorInstance : undefined;
      if (error instanceof Found) finding ??= error.finding;
      else if (result.failed) throw new Error("a sequence failed", { cause: error });
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return { sent, answers, finding };
}
