import { messengerConfiguration } from "./configuration.ts";
import { messengerConversations } from "./conversations.ts";
import { messengerLive } from "./live.ts";
import { signedIdentity } from "./signed-identity.ts";
import { messengerUploads } from "./uploads.ts";
import { visitors } from "./visitors.ts";

export * from "./account-settings.ts";
export * from "./configuration.ts";
export * from "./conversations.ts";
export * from "./languages.ts";
export * from "./live.ts";
export * from "./messenger.ts";
export * from "./problems.ts";
export * from "./signed-identity.ts";
export * from "./signing-keys.ts";
export * from "./uploads.ts";
export * from "./visitors.ts";

/** Endpoints of the messenger, by table. They admit visitors' sessions only, or nobody's, are not part of the API and have no version. */
export const messengerApi = {
  messengerConfiguration,
  visitors,
  signedIdentity,
  messengerConversations,
  messengerUploads,
  messengerLive,
};
export type MessengerApi = typeof messengerApi;
