/** A test harness for apps: a throw-away service, the app on it, and a hand on time, faults and what is to happen. */
export { world, type World, type WorldOptions } from "./testing/world.ts";
export type { TestApi, ApiCalls } from "./testing/api.ts";
export type { TestClock } from "./testing/clock.ts";
export { CallRefused } from "./testing/call.ts";
