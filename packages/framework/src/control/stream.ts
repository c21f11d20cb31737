import { Readable } from "node:stream";
import type { Invocation } from "@parley/contract";
import type { InvocationFilter, Invocations } from "../invocations/invocations.ts";

/** What a reader who does not read may have waiting. */
const MOST_WAITING = 1_000;

const fits = (one: Invocation, { handler, event, kind, ok, source }: InvocationFilter): boolean =>
  (handler === undefined || one.handler === handler) &&
  (event === undefined || one.event === event) &&
  (kind === undefined || one.kind === kind) &&
  (ok === undefined || one.ok === ok) &&
  (source === undefined || one.source === source);

/**
 * Invocations as lines of JSON, one each, as they end; an empty line comes first, so that the reader knows that it is heard.
 * A reader who is too slow is let go.
 */
export const invocationStream = (invocations: Pick<Invocations, "follow">, filter: InvocationFilter): Readable => {
  let waiting = 0;
  const stream = new Readable({
    read() {
      waiting = 0;
    },
    destroy(error, done) {
      stop();
      done(error);
    },
  });
  const stop = invocations.follow((one) => {
    if (!fits(one, filter) || stream.readableEnded) return;
    if (!stream.push(`${JSON.stringify(one)}\n`) && ++waiting > MOST_WAITING) stream.destroy();
  });
  stream.push("\n");
  return stream;
};
