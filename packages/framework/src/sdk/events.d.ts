import type {
  EventData,
  EventPayload,
  ExternalPayload,
  FunctionPayload,
  ProductEventName,
  ScheduledPayload,
  SetUpEvent,
  SetUpPayload,
} from "@parley/contract";

/** What a product event is about: the member of its data that is always there. */
interface EventSubjects {
  onConversationCreate: "conversation";
  onConversationUpdate: "conversation";
  onMessageCreate: "message";
  onUserCreate: "user";
  onUserUpdate: "user";
}

/** Argument of the handler of one product event. */
export type ProductEventPayload<Event extends ProductEventName> = Omit<EventPayload, "event" | "data"> & {
  readonly event: Event;
  readonly data: EventData & Required<Pick<EventData, EventSubjects[Event]>>;
};

/** Argument of the handler of one event of the app's own life. */
export type SetUpEventPayload<Event extends SetUpEvent> = Omit<SetUpPayload, "event"> & { readonly event: Event };

/** Every event that a manifest may name, and what its handler is called with. */
export interface EventPayloads {
  onConversationCreate: ProductEventPayload<"onConversationCreate">;
  onConversationUpdate: ProductEventPayload<"onConversationUpdate">;
  onMessageCreate: ProductEventPayload<"onMessageCreate">;
  onUserCreate: ProductEventPayload<"onUserCreate">;
  onUserUpdate: ProductEventPayload<"onUserUpdate">;
  onAppInstall: SetUpEventPayload<"onAppInstall">;
  afterAppUpdate: SetUpEventPayload<"afterAppUpdate">;
  onAppUninstall: SetUpEventPayload<"onAppUninstall">;
  /** With the app settings as they would be, each under its key. */
  onSettingsUpdate: SetUpEventPayload<"onSettingsUpdate"> & Readonly<Record<string, unknown>>;
  onExternalEvent: ExternalPayload;
  onScheduledEvent: ScheduledPayload;
}

/** A function of server/ that the manifest names for an event. */
export type EventHandler<Event extends keyof EventPayloads> = (args: EventPayloads[Event]) => unknown;

/** A function of server/ that the front end calls by name; it ends with `renderData(null, data)`. */
export type FunctionHandler<Args extends object = Readonly<Record<string, unknown>>> = (
  args: Args & Pick<FunctionPayload, "iparams" | "currentHost">,
) => unknown;
