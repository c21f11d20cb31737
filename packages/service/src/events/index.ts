/** The road of events: from the log to who subscribed. */
export { startDispatcher, type Dispatcher, type DispatcherOptions } from "./dispatcher.ts";
export { eventsConfig, rulesOf, type EventsConfig } from "./config.ts";
export { DISPATCH_RULES, type DispatchRules } from "./rules.ts";
export { subscriptions, type Subscriptions } from "./subscriptions.ts";
