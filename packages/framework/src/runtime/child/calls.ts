import { AsyncLocalStorage } from "node:async_hooks";
import type { AppError, ChildMessage, Rendered } from "@parley/contract";
import { describe, wordsOf } from "./errors.ts";

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

export interface Calls {
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
export const calls = (send: (message: ChildMessage) => void, turn: (then: () => void) => void): Calls => {
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
        error: { message: `what it gave to renderData() can't be sent: ${wordsOf(error)}` },
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
          end(call, { error: describe(error) });
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
      end(call, { error: describe(thrown) });
      return true;
    },
  };
};
