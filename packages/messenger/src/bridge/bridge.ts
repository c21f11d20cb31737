import type { MessengerMessage, ShownLook } from "@parley/contract";

/**
 * Messages between the script in a site's page and the panel in its frame. The panel, once loaded, posts `PanelReady` to its parent. The script
 * accepts it from the window of its own frame and the origin of the service only, and answers with `Connect` and a port of a MessageChannel.
 * The panel accepts the first `Connect` that comes from its parent window. All else goes through the ports, which no other window can reach.
 */

/** Posted by the panel to its parent, whose origin it doesn't know yet. It contains nothing private. */
export interface PanelReady {
  readonly parley: "panel-ready";
}

/** Settings that the site gives, in the form of the service's own names. */
export interface PanelOptions {
  readonly locale?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Identity and properties; `profile` members follow VisitorProfile of the contract. */
  readonly externalId?: string | undefined;
  readonly restoreId?: string | undefined;
  readonly profile?: PanelProfile | undefined;
  /** A token that the site has signed. */
  readonly signedToken?: string | undefined;
  /** What the site says about the visitor's consent; undefined: nothing. */
  readonly hasConsent?: boolean | undefined;
  /** The `config` object of the site, unchecked: the panel takes the members it knows. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** The look of the account as the script has it, for the time until the panel has read it. */
  readonly look?: ShownLook | undefined;
  /** Shows a look in place of the account's, and lets nobody write. */
  readonly preview?: PanelPreview | undefined;
}

/** A look that is not saved, with what the panel shows in it. */
export interface PanelPreview {
  readonly look: ShownLook;
  readonly scheme: "light" | "dark";
  /** `away`: the list of topics outside of the business hours. */
  readonly view: "home" | "thread" | "away";
  /** First name of the agent in the sample conversation. */
  readonly agent: string;
  readonly question: string;
  readonly answer: string;
}

export interface PanelProfile {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** The page of the site, as it is when it is asked for. */
export interface SitePage {
  /** Origin and path. The query and the fragment, which can contain secrets, stay in the page. */
  readonly url: string;
  readonly title: string;
}

/** Posted by the script with the port for all further messages as its only transferred object. */
export interface Connect {
  readonly parley: "connect";
  readonly options: PanelOptions;
}

/** Calls of the script by name, with their argument and their result. A call that fails is answered with a status that is not 200. */
export interface PanelCalls {
  /** Replaces options. What is absent stays as it is. */
  readonly setOptions: { readonly argument: PanelOptions; readonly result: null };
  /**
   * The frame is visible. `topic`: name or id of the topic to open. `replyText`: text put into the field for the message. `isFocused`: whether the
   * visitor opened it, so that the panel takes the keyboard focus.
   */
  readonly opened: {
    readonly argument: {
      readonly topic?: string | undefined;
      readonly replyText?: string | undefined;
      readonly isFocused: boolean;
    };
    readonly result: null;
  };
  /** The frame is hidden. */
  readonly closed: { readonly argument: null; readonly result: null };
  /** 404 without a user. */
  readonly getUser: { readonly argument: null; readonly result: PanelUser };
  /** The UUID that a site signs: of the user, or of the browser without a user. */
  readonly getUuid: { readonly argument: null; readonly result: { readonly uuid: string } };
  /** Takes a token that the site has signed. 401 for a token that the service refuses. */
  readonly authenticate: { readonly argument: string; readonly result: PanelUser };
  /** Creates the user if the visitor has no user yet. */
  readonly setProfile: { readonly argument: PanelProfile; readonly result: PanelUser };
  readonly identify: {
    readonly argument: { readonly externalId: string; readonly restoreId?: string | undefined };
    readonly result: PanelUser | null;
  };
  /** Ends the session and forgets everything of it, in all tabs. */
  readonly clearUser: { readonly argument: null; readonly result: null };
  /** Properties of the conversations that begin from now on, in this page. They are merged with those of earlier calls. */
  readonly setConversationProperties: {
    readonly argument: Readonly<Record<string, string>>;
    readonly result: null;
  };
  /** Answers `asks: "page"`. */
  readonly setPage: { readonly argument: SitePage; readonly result: null };
  /** The page leaves: the panel ends its stream. */
  readonly destroy: { readonly argument: null; readonly result: null };
}
export type PanelCallName = keyof PanelCalls;

/** The user as sites see it. */
export interface PanelUser {
  readonly uuid: string;
  readonly externalId?: string;
  readonly restoreId: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly isNameGenerated: boolean;
  readonly meta: Readonly<Record<string, string>>;
}

/** From the script to the panel. */
export type ToPanel = {
  [Name in PanelCallName]: {
    readonly id: number;
    readonly call: Name;
    readonly argument: PanelCalls[Name]["argument"];
  };
}[PanelCallName];

/** Events that the panel reports, with their payload as sites receive it. */
interface PanelEvents {
  readonly "user:created": { readonly success: true; readonly status: 200; readonly data: PanelUser | null };
  readonly "user:cleared": { readonly success: true; readonly status: 200; readonly data: null };
  readonly "user:authenticated": { readonly success: true; readonly status: 200; readonly data: PanelUser };
  readonly "user:statechange": { readonly success: true; readonly data: { readonly userState: string } };
  readonly "frame:statechange": { readonly success: true; readonly data: { readonly frameState: string } };
  readonly "message:sent": { readonly success: true; readonly data: { readonly message: MessengerMessage } };
  readonly "message:received": { readonly success: true; readonly data: { readonly message: MessengerMessage } };
  readonly "unreadCount:notify": { readonly count: number };
  readonly "readReceipts:update": { readonly success: true; readonly data: unknown };
  readonly "csat:show": { readonly success: true; readonly data: unknown };
  readonly "csat:received": { readonly success: true; readonly data: unknown };
  readonly "csat:updated": { readonly success: true; readonly data: unknown };
  readonly "conversation:resolved": { readonly success: true; readonly data: unknown };
  readonly "anchorLink:clicked": { readonly success: true; readonly data: { readonly url: string } };
  readonly "download:file": { readonly success: true; readonly data: { readonly url: string; readonly name: string } };
  readonly "dialog:opened": { readonly success: true; readonly data: { readonly topic: string } };
  readonly "dialog:closed": { readonly success: true; readonly data: null };
  readonly "rts:connected": { readonly success: true; readonly data: null };
  readonly "rts:disconnected": { readonly success: true; readonly data: null };
}

/** Texts of the button in the site's page. Absent: English, and nothing about unread messages. */
export interface ButtonTexts {
  readonly open?: string;
  /** Closes a panel that is not loaded yet. */
  readonly close?: string;
  /** How many messages are unread; empty if all are read. */
  readonly unread?: string;
}

/** Reports an event to the site's page. */
export type ReportEvent = <Name extends keyof PanelEvents>(event: Name, data: PanelEvents[Name]) => void;

/** From the panel to the script. */
export type FromPanel =
  | { readonly id: number; readonly status: 200; readonly data: unknown }
  | { readonly id: number; readonly status: number; readonly message: string }
  | { [Name in keyof PanelEvents]: { readonly event: Name; readonly data: PanelEvents[Name] } }[keyof PanelEvents]
  /** The panel may pass the page on to the agents. A member of its own: earlier scripts close the panel at each `request`. */
  | { readonly asks: "page" }
  /** The visitor asks to close the panel: by its button or the Escape key. */
  | { readonly request: "close" }
  /** What the script needs before the panel is loaded next time: whether this browser has a session. It is not secret. */
  | { readonly hasSession: boolean }
  /** Sent whenever one of the texts changes, also with the visitor's language. */
  | { readonly button: ButtonTexts }
  /** Whether the page shows the messenger: an account can hide it until the visitor is signed in. */
  | { readonly isShown: boolean }
  /** The look of the account in the language of the panel, which the button takes over. */
  | { readonly look: ShownLook };
