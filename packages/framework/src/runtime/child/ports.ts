/** The clock that the code of an app sees. */

import type { HandlerClock } from "@parley/contract";

const MachineDate = Date;
let clock: HandlerClock | undefined;
const nowMs = (): number => clock?.frozenMs ?? MachineDate.now() + (clock?.offsetMs ?? 0);

/** `Date` with the time of the host's clock. Dates that are made from a given time are the same as without it. */
const createHostDate = (): DateConstructor =>
  new Proxy(MachineDate, {
    apply: () => new MachineDate(nowMs()).toString(),
    construct: (target, args, created) =>
      Reflect.construct(target, args.length === 0 ? [nowMs()] : args, created) as object,
    get: (target, name, receiver) => (name === "now" ? nowMs : (Reflect.get(target, name, receiver) as unknown)),
  });

let isReplaced = false;

/**
 * Sets the time of day that the app's code sees. `Date` is replaced when there is a clock for the first time: where apps run in production, there is
 * no clock.
 */
export const setHandlerClock = (next: HandlerClock | undefined): void => {
  clock = next;
  if (next === undefined || isReplaced) return;
  isReplaced = true;
  const HostDate = createHostDate();
  MachineDate.prototype.constructor = HostDate;
  Object.defineProperty(globalThis, "Date", { value: HostDate, configurable: true, writable: true });
};
