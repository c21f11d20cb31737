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

/** The member of a product event's data that is always present. */
interface EventSubjects {
  onConversationCreate: "conversation";
  onConversationUpdate: "conversation";
  onMessageCreate: "message";
  onUserCreate: "user";
  onUserUpdate: "user";
}

/** Argument of the handler of a product event. */
export type ProductEventPayload<Event extends ProductEventName> = Omit<EventPayload, "event" | "data"> & {
  readonly event: Event;
  readonly data: EventData & Required<Pick<EventData, EventSubjects[Event]>>;
};

/** Argument of the handler of a set-up event: installation, update or removal of the app, or a change of its settings. */
export type SetUpEventPayload<Event extends SetUpEvent> = Omit<SetUpPayload, "event"> & { readonly event: Event };

type ProductEventPayloads = { [Event in ProductEventName]: ProductEventPayload<Event> };

/** Arguments of event handlers, by the name of the event in the manifest. */
export interface EventPayloads extends ProductEventPayloads {
  onAppInstall: SetUpEventPayload<"onAppInstall">;
  afterAppUpdate: SetUpEventPayload<"afterAppUpdate">;
  onAppUninstall: SetUpEventPayload<"onAppUninstall">;
  /** Contains every app setting with its new value, under its key. */
  onSettingsUpdate: SetUpEventPayload<"onSettingsUpdate"> & Readonly<Record<string, unknown>>;
  onExternalEvent: ExternalPayload;
  onScheduledEvent: ScheduledPayload;
}

/** Result of a function of `server/`, which is not read. With `unknown`, TypeScript before 7 refuses JavaScript handlers that return nothing. */
// oxlint-disable-next-line typescript/no-explicit-any
type HandlerResult = any;

/** A function of `server/` that the manifest names as the handler of an event. */
export type EventHandler<Event extends keyof EventPayloads> = (args: EventPayloads[Event]) => HandlerResult;

/** A function of `server/` that pages of `app/` call by name. The function returns its result with `renderData(null, data)`. */
export type FunctionHandler<Args extends object = Readonly<Record<string, unknown>>> = (
  args: Args & Pick<FunctionPayload, "iparams" | "currentHost">,
) => HandlerResult;
