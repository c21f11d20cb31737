import type { MessengerReply } from "../../types/index.d.ts";

/** Outcome of a call. */
export type Reply = MessengerReply<unknown>;

export const OK: Reply = { success: true, status: 200, data: null };

export const success = (data: unknown): Reply => ({ ...OK, data });

export const failure = (status: number, message: string): Reply => ({ success: false, status, data: null, message });

/** Reports a misuse, or a fault of the page's setup, to the developer of the page. */
export const complain = (text: string): void => console.error(`[messenger] ${text}`);

const ignore = (): void => undefined;

/**
 * Delivers a reply in the form that the page chose: to its callback, or as a promise that rejects unless the status is 200.
 * @shape callback: any value that the page passed
 */
export const deliver = (reply: Promise<Reply>, callback: unknown): Promise<Reply> | undefined => {
  if (typeof callback === "function") {
    void reply.then((value) => void (callback as (value: Reply) => unknown)(value));
    return undefined;
  }
  const promise = reply.then((value) => {
    if (value.status !== 200) throw Object.assign(new Error(value.message), value);
    return value;
  });
  // A page that ignores the result has no unhandled rejection.
  promise.catch(ignore);
  return promise;
};
