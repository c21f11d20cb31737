/** Events at a fixed pace, and the times that their apps take. */
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Time after which an event counts as lost. @units milliseconds */
const LOST_AFTER_MS = 120_000;

/** Calls `send(index)` at the pace, whether or not earlier calls have ended. -> their results */
export const atPace = async ({ perSecond, seconds }, send) => {
  const begun = performance.now();
  const results = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = begun + (index * 1_000) / perSecond;
    if (due > performance.now()) await wait(due - performance.now());
    results.push(send(index));
  }
  return Promise.all(results);
};

/** @shape `{ p50, p99, worst }` */
export const quantilesOf = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), worst: sorted.at(-1) ?? 0 };
};

/** Measures the time from the response of a message to the call that its handler makes. The front of the instance reports the calls. */
export const createEventMeter = () => {
  const arrivals = new Map();
  /** -> the time of an arrival, which may precede the response of the message */
  const arrivalOf = (stamp) => {
    let arrival = arrivals.get(stamp);
    if (arrival) return arrival;
    arrival = {};
    arrival.promise = new Promise((resolve, reject) => Object.assign(arrival, { resolve, reject }));
    arrivals.set(stamp, arrival);
    return arrival;
  };
  let last = 0;
  /** Posts a message; resolves when the handler has made its call. @units milliseconds */
  const once = async (instance, conversation) => {
    const stamp = `event ${(last += 1)}`;
    const arrival = arrivalOf(stamp);
    const posted = await instance.post(conversation, stamp);
    const lost = setTimeout(
      () => arrival.reject(new Error(`An event has not arrived:\n${instance.log.join("\n")}`)),
      LOST_AFTER_MS,
    );
    try {
      return (await arrival.promise) - posted;
    } finally {
      clearTimeout(lost);
      arrivals.delete(stamp);
    }
  };
  return {
    onFront: ({ stamp, at }) => arrivalOf(stamp).resolve(at),
    once,
    /** Posts at the pace to the conversations in turns. -> `[latency]` @units milliseconds */
    run: (instance, conversations, pace) =>
      atPace(pace, (index) => once(instance, conversations[index % conversations.length])),
  };
};
