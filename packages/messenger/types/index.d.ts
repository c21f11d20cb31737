/**
 * The browser API of the messenger: `window.fcWidget`, and the settings that a page sets before the script is loaded.
 *
 *     import type {} from "@parley/messenger-types";
 *     window.fcWidget?.open({ name: "Orders" });
 */

/** What a method reports. `status` is 200 for success. */
export interface MessengerReply<Data = null> {
  readonly success: boolean;
  readonly status: number;
  readonly data: Data;
  /** Why the call failed. */
  readonly message?: string;
}

export type MessengerCallback<Data = null> = (reply: MessengerReply<Data>) => void;

/** With a callback, the method calls it once. Without a callback, it returns a promise that rejects unless `status` is 200. */
export interface MessengerQuery<Data> {
  (callback: MessengerCallback<Data>): undefined;
  (): Promise<MessengerReply<Data>>;
}

/** As `MessengerQuery`, with a value. */
export interface MessengerCommand<Value, Data> {
  (value: Value, callback: MessengerCallback<Data>): undefined;
  (value: Value): Promise<MessengerReply<Data>>;
}

/** Numbers and booleans are sent as text. Empty texts and null count as absent. */
export type MessengerValue = string | number | boolean | null | undefined;

export interface MessengerUser {
  readonly uuid: string;
  readonly externalId?: string;
  /** Secret. Store it with the customer: with the externalId, it restores the conversations in another browser. */
  readonly restoreId: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly isNameGenerated: boolean;
  readonly meta: Readonly<Record<string, string>>;
}

export interface MessengerProperties {
  firstName?: MessengerValue;
  lastName?: MessengerValue;
  email?: MessengerValue;
  phone?: MessengerValue;
  /** Precedes a phone number that does not begin with `+`. */
  phoneCountryCode?: MessengerValue;
  locale?: MessengerValue;
  meta?: Readonly<Record<string, unknown>> | null;
  /** Signs the visitor in before the other properties are set. */
  jwtAuthToken?: string;
  /** Any other name becomes a property of the user. */
  [property: string]: unknown;
}

export interface MessengerConfig {
  /** No event reaches the page's handlers. */
  disableEvents?: boolean;
  /** The open panel fills the window. */
  fullscreen?: boolean;
  /** Whether a sound announces replies while the panel is not seen, unless the visitor has chosen otherwise. Default: false. */
  sound?: boolean;
  /** Whether the title of a page in the background begins with the number of unread messages. Default: true. */
  unreadInTitle?: boolean;
  /** true: loads the panel with the page. false: sends no request before the first opening or call. */
  eagerLoad?: boolean;
  /** The panel stores and sends nothing before the visitor has consented, or `setConsent(true)` was called. */
  consent?: "required";
  /** Without effect: there are no articles. */
  showFAQOnOpen?: boolean;
  /** Without effect: there are no articles. */
  hideFAQ?: boolean;
  /** Names of classes of `#fc_frame`: always, while open, and while it fills the window. */
  cssNames?: { widget?: string; open?: string; expanded?: string };
  agent?: { hideName?: boolean; hidePic?: boolean; hideBio?: boolean };
  headerProperty?: {
    appName?: string;
    appLogo?: string;
    backgroundColor?: string;
    foregroundColor?: string;
    backgroundImage?: string;
    fontName?: string;
    hideChatButton?: boolean;
    /** ltr: at the left side of the window; rtl, the default: at the right side. */
    direction?: "ltr" | "rtl";
  };
  /** Texts in place of the messenger's own. */
  content?: {
    placeholders?: Readonly<Record<string, string>>;
    actions?: Readonly<Record<string, string>>;
    headers?: Readonly<Record<string, unknown>>;
    /** What a visitor reads before consenting. `link` is the address of your privacy policy. */
    consent?: { text?: string; link?: string; link_text?: string; agree?: string; not_now?: string };
  };
}

export interface MessengerFaqTags {
  tags: readonly string[];
  filterType: "article" | "category";
}

/** Options of `init`, `window.fcSettings` and `window.fcWidgetMessengerConfig`. */
export interface MessengerOptions {
  /** An alias of the account, which an admin has entered. */
  token?: string;
  /** Address of the service. The address of the script precedes it. */
  host?: string;
  siteId?: string;
  widgetUuid?: string;
  externalId?: MessengerValue;
  restoreId?: MessengerValue;
  firstName?: MessengerValue;
  lastName?: MessengerValue;
  email?: MessengerValue;
  phone?: MessengerValue;
  phoneCountryCode?: MessengerValue;
  locale?: MessengerValue;
  meta?: Readonly<Record<string, unknown>> | null;
  /** Shows topics with one of these tags. */
  tags?: readonly string[];
  /** Without effect: there are no articles. */
  faqTags?: MessengerFaqTags;
  /** Opens the panel as soon as it can be shown. */
  open?: boolean;
  config?: MessengerConfig;
  onLoad?: () => void;
  /** A token that your server has signed with the account's key. */
  jwtAuthToken?: string;
  /** Nonce of the page's content security policy, for browsers without constructed style sheets. */
  cspNonce?: string;
  /** Without effect. */
  identifyByReferenceId?: boolean;
  /** Without effect. */
  conversationReferenceId?: string;
}

export interface MessengerSettings extends MessengerOptions {
  /** Runs before `init`, when `window.fcWidget` exists. */
  onInit?: () => void;
}

interface Result<Data> {
  readonly success: boolean;
  readonly status?: number;
  readonly data: Data;
}

/** Events by name, with what their handlers receive. */
export interface MessengerEvents {
  "widget:loaded": undefined;
  "widget:opened": undefined;
  "widget:closed": undefined;
  "widget:destroyed": undefined;
  "dialog:opened": Result<{ readonly topic: string }>;
  "dialog:closed": Result<null>;
  "frame:statechange": Result<{ readonly frameState: string }>;
  "user:statechange": Result<{ readonly userState: string }>;
  /** `data` is null for a user who existed when the panel was loaded. */
  "user:created": Result<MessengerUser | null>;
  "user:cleared": Result<null>;
  /** A signed token was accepted, or the session of this browser still has one. */
  "user:authenticated": Result<MessengerUser>;
  "message:sent": Result<unknown>;
  "message:received": Result<unknown>;
  "unreadCount:notify": { readonly count: number };
  /** Does not occur: there are no push notifications. */
  "push:subscribed": Result<unknown>;
  "readReceipts:update": Result<unknown>;
  "csat:received": Result<unknown>;
  "csat:updated": Result<unknown>;
  "csat:show": Result<unknown>;
  "conversation:resolved": Result<unknown>;
  "anchorLink:clicked": Result<{ readonly url: string }>;
  /** Does not occur: there are no articles. */
  "faq:clicked": Result<unknown>;
  "download:file": Result<{ readonly url: string; readonly name: string }>;
  "rts:connected": Result<null>;
  "rts:disconnected": Result<null>;
}

export type MessengerEventName = keyof MessengerEvents;

export interface MessengerUserMethods {
  /** Rejects with status 404 if this browser has no user. */
  get: MessengerQuery<MessengerUser>;
  isExists: MessengerQuery<boolean>;
  /** Creates the user if this browser has no user. */
  create: MessengerQuery<MessengerUser> & MessengerCommand<MessengerProperties | null, MessengerUser>;
  update: MessengerCommand<MessengerProperties, MessengerUser>;
  /** Creates the user if this browser has no user. */
  setProperties: MessengerCommand<MessengerProperties, MessengerUser>;
  setFirstName: MessengerCommand<MessengerValue, MessengerUser>;
  setLastName: MessengerCommand<MessengerValue, MessengerUser>;
  setEmail: MessengerCommand<MessengerValue, MessengerUser>;
  setPhone: MessengerCommand<MessengerValue, MessengerUser>;
  setPhoneCountryCode: MessengerCommand<MessengerValue, MessengerUser>;
  setMeta: MessengerCommand<Readonly<Record<string, unknown>>, MessengerUser>;
  setLocale: MessengerCommand<MessengerValue, null>;
  /** Ends the session of this browser. The next person sees no conversation, draft or name of this one. */
  clear: MessengerQuery<null>;
  /** The same as `get`. */
  clone: MessengerQuery<MessengerUser>;
  /** The UUID that your server signs: the user's id, or that of this browser without a user. */
  getUUID: MessengerQuery<{ readonly uuid: string }>;
  /** The same as `getUUID`. */
  generateUUID: MessengerQuery<{ readonly uuid: string }>;
}

export interface MessengerWidget {
  /** Ignored while the messenger is initialized. */
  init(options?: MessengerOptions): void;
  /** Removes everything, handlers included. `init` starts again. */
  destroy(): void;
  isOpen(): boolean;
  isInitialized(): boolean;
  isLoaded(): boolean;
  on<Name extends MessengerEventName>(name: Name, handler: (payload: MessengerEvents[Name]) => void): void;
  /** Removes handlers that are the same function or have the same name; without a handler, all handlers of the event. */
  off<Name extends MessengerEventName>(name: Name, handler?: (payload: MessengerEvents[Name]) => void): void;
  /** `name`: name or id of a topic. `replyText`: text for the message field. */
  open(target?: { name?: string; replyText?: string }): void;
  close(): void;
  show(): void;
  hide(): void;
  setTags(tags: readonly string[]): void;
  /** Without effect. */
  setFaqTags(tags: MessengerFaqTags): void;
  setExternalId: MessengerCommand<MessengerValue, null>;
  setConfig(config: MessengerConfig): void;
  /** Without effect. */
  track(...values: unknown[]): void;
  /** Without effect. */
  trackPage(...values: unknown[]): void;
  /** Signs the visitor in by a token that your server has signed. Status 401 for a token that is refused. */
  authenticate: MessengerCommand<string, MessengerUser>;
  /** The same as `authenticate`. */
  setJWTAuthToken: MessengerCommand<string, MessengerUser>;
  /** What your page knows about the visitor's consent. `false` ends the session and removes what the browser stores. */
  setConsent(isGiven: boolean): void;
  user: MessengerUserMethods;
  conversation: {
    /** Without effect: agents and apps set the properties of conversations. */
    setConversationProperties: MessengerCommand<Readonly<Record<string, unknown>>, null>;
    /** Without effect. */
    setBotVariables: MessengerCommand<unknown, null>;
  };
}

/** The object `window.fwcrm`, with the same handlers as `window.fcWidget`. */
export interface MessengerContacts {
  on: MessengerWidget["on"];
  off: MessengerWidget["off"];
  /** Sets the externalId and properties without creating a user. */
  identify(id: MessengerValue, contact?: Readonly<Record<string, unknown>>): void;
  /** Sets properties without creating a user. */
  set(contact: Readonly<Record<string, unknown>>): void;
  /** Without effect. */
  trackCustomEvent(...values: unknown[]): void;
  /** Without effect. */
  trackPageView(...values: unknown[]): void;
}

declare global {
  interface Window {
    fcWidget?: MessengerWidget;
    fcSettings?: MessengerSettings;
    fcWidgetMessengerConfig?: MessengerOptions;
    fwcrm?: MessengerContacts;
  }
}
