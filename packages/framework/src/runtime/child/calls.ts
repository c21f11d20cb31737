import { inspect } from "node:util";
import type { AppError, ChildMessage, Rendered } from "@parley/contract";
import { AsyncLocalStorage } from "node:async_hooks";

/** Longest text that goes to the host; its schema takes no longer one. */
const LONGEST = 8_000;

export const truncate = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);

/** The message of an error by itself. */
const errorText = (thrown: unknown): string => truncate(thrown instanceof Error ? thrown.message : String(thrown));

/** Whatever was thrown, as text: rejections of the field's own methods are objects and may be no errors at all. */
export const describeError = (thrown: unknown): AppError => {
  try {
    if (thrown instanceof Error)
      return { message: truncate(`${thrown.name}: ${thrown.message}`), stack: truncate(thrown.stack ?? "") };
    return {
      message: truncate(typeof thrown === "string" ? thrown : inspect(thrown, { depth: 3, breakLength: Infinity })),
    };
  } catch {
    return { message: "an error that can't be shown" };
  }
};

/** A handler at work. */
interface Call {
  readonly id: number;
  /** Whether only `renderData` ends it well. */
  readonly renders: boolean;
  /** Questions to the host that are not answered yet. */
  asking: number;
  /** Whether the handler itself has returned, and what it returned has settled. */
  returned: boolean;
  over: boolean;
}

interface ChildCalls {
  run(start: { id: number; renders: boolean }, handler: () => unknown): void;
  /** Keeps the present call open while a question of it is under way. */
  asked<T>(answer: Promise<T>): Promise<T>;
  rendered(data: Rendered): void;
  /** -> id of the call that the present code belongs to. */
  present(): number | undefined;
  /** -> whether the error belonged to a call. */
  failed(thrown: unknown): boolean;
}

/** How long a handler that has returned may still call `renderData`, where it has to. @units milliseconds */
const GRACE = 500;

/**
 * Handlers at work. Many apps of the field return nothing and go on in promises of their own, so a call is over when the
 * handler has returned and each of its questions is answered.
 * @assumed `renderData()` ends the call of any handler at once, also of one that needn't call it: what it asked goes on, and nobody
 * waits for the answer.
 */
export const createChildCalls = (
  send: (message: ChildMessage) => void,
  turn: (then: () => void) => void,
): ChildCalls => {
  const present = new AsyncLocalStorage<Call>();

  const end = (call: Call, outcome: { error?: AppError; rendered?: Rendered }) => {
    if (call.over) return;
    call.over = true;
    try {
      send({ t: "done", id: call.id, ...outcome });
    } catch (error) {
      // What was rendered is too large, or no JSON.
      send({
        t: "done",
        id: call.id,
        error: { message: `what it gave to renderData() can't be sent: ${errorText(error)}` },
      });
    }
  };
  const settle = (call: Call) => {
    if (call.over || !call.returned || call.asking > 0) return;
    if (!call.renders) return end(call, {});
    setTimeout(() => {
      if (call.asking === 0) end(call, { error: { message: "it ended without a call of renderData()" } });
    }, GRACE);
  };
  // What an answer sets going may ask again: the app gets a turn before the call is looked at.
  const settleLater = (call: Call) => turn(() => settle(call));

  return {
    run({ id, renders }, handler) {
      const call: Call = { id, renders, asking: 0, returned: false, over: false };
      void present.run(call, async () => {
        try {
          await handler();
          call.returned = true;
          settleLater(call);
        } catch (error) {
          end(call, { error: describeError(error) });
        }
      });
    },
    async asked(answer) {
      const call = present.getStore();
      if (!call) return answer;
      call.asking += 1;
      try {
        return await answer;
      } finally {
        call.asking -= 1;
        settleLater(call);
      }
    },
    rendered(data) {
      const call = present.getStore();
      if (call) end(call, { rendered: data });
    },
    present() {
      const call = present.getStore();
      return call?.over === false ? call.id : undefined;
    },
    failed(thrown) {
      const call = present.getStore();
      if (!call || call.over) return false;
      end(call, { error: describeError(thrown) });
      return true;
    },
  };
};
