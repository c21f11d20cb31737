export type { HostAddress } from "./address.ts";
export type { EgressReason } from "./failure.ts";
export { EgressFailure, FAILURES } from "./failure.ts";
export type { FaultInjector, OutgoingFault } from "./fault.ts";
export type { HostOverrides, Lookup } from "./guard.ts";
export type { OutgoingReply, EgressRequest } from "./outgoing.ts";
export type { Egress } from "./send.ts";
export { egress } from "./send.ts";
export { signWebhook, verifyWebhook, webhookSecret } from "./standard-webhook.ts";
