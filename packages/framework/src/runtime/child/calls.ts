import { inspect } from "node:util";
import type { AppError, ChildMessage, Rendered } from "@parley/contract";
import { AsyncLocalStorage } from "node:async_hooks";

/** Maximum length of a text for the host, as its schema requires. */
const TEXT_LENGTH_MAX = 8_000;

export const truncate = (text: string): string =>
  text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)} …` : text;

/** The message of an error without its stack. */
const errorText = (thrown: unknown): string => truncate(thrown instanceof Error ? thrown.message : String(thrown));

/** Converts any thrown value to text: rejections of the framework's methods are objects and not always errors. */
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

/** A call of a handler in progress. */
interface Call {
  readonly id: number;
  /** Whether only `renderData` ends it successfully. */
  readonly renders: boolean;
  /** Number of pending requests to the host. */
  asking: number;
  /** Whether the handler has returned and the returned promise has settled. */
  returned: boolean;
  over: boolean;
}

interface ChildCalls {
  run(start: { id: number; renders: boolean }, handler: () => unknown): void;
  /** Keeps the present call open until the answer has arrived. */
  asked<T>(answer: Promise<T>): Promise<T>;
  rendered(data: Rendered): void;
  /** -> id of the call to which the running code belongs */
  present(): number | undefined;
  /** -> whether the error belonged to a call */
  failed(thrown: unknown): boolean;
}

/** Time in which a handler that must call `renderData` can do so after it has returned. @units milliseconds */
const RENDER_DATA_TIMEOUT_MS = 500;

/**
 * Calls in progress. Many existing apps return nothing and continue in promises, so a call ends when the handler has returned and each of
 * its requests is answered.
 * @assumed `renderData()` ends the call of any handler at once, even if the handler need not call it. Pending requests continue, and their
 * answers are ignored.
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
      // The rendered data is too large, or is no JSON.
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
    }, RENDER_DATA_TIMEOUT_MS);
  };
  // The app may react to an answer with another request: it gets a turn before the call is checked.
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
