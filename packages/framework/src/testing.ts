/** A test harness for apps: a throw-away service, the app on it, and a hand on time, faults and what is to happen. */
export { world, type World, type WorldOptions, type TestClock } from "./testing/world.ts";
export { type TestApi, type ApiCalls, CallRefused } from "./testing/api.ts";
