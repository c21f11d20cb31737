/** A test harness for apps: a temporary service, the app on it, and control of time, faults and events. */
export { world, type World, type WorldOptions, type TestClock } from "./testing/world.ts";
export { type TestApi, type ApiCalls, CallRefused } from "./testing/api.ts";
