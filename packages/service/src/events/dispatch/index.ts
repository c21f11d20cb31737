/** Dispatch: delivers the event log to subscribers. */
export { openDispatcher } from "./dispatcher.ts";
export { openAppEgress } from "./app-subscriber.ts";
export { appAddresses } from "./app-subscriptions.sql.ts";
export { createExchangeEraser } from "./exchange-eraser.sql.ts";
export { dispatchAdminHandlers } from "./admin.ts";
export { dispatchRulesOf } from "./config.ts";
export { DISPATCH_RULES, type DispatchRules } from "./dispatch-rules.ts";
export { createSubscriptions } from "./subscriptions.ts";
