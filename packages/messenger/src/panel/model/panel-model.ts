import type {
  MessagePart,
  MessengerActor,
  MessengerConfiguration,
  MessengerConversation,
  MessengerMessage,
  NewCsat,
  Visitor,
} from "@parley/contract";
import type { ButtonTexts, PanelOptions } from "../../bridge/bridge.ts";
import type { FailureName } from "../texts/failure-texts.ts";

/** What the panel shows: the list of topics and conversations, or one thread. */
export type Place = { readonly kind: "home" } | { readonly kind: "thread"; readonly key: ThreadKey };

/** Id of a conversation, or `topic:` and the id of a topic whose conversation has not begun. */
export type ThreadKey = string;

export interface UploadInProgress {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly isImage: boolean;
  /** Address of a preview in this browser. */
  readonly previewUrl?: string;
}

/** A message that the service has not confirmed. Messages are sent once and in order, also after a time without a connection. */
export interface OutgoingMessage {
  readonly id: string;
  readonly created_time: string;
  readonly message_parts: readonly MessagePart[];
  readonly in_reply_to?: { readonly message_id: string };
  readonly upload?: UploadInProgress;
  /** `waiting`: for the connection; `unsigned`: until the page has signed the visitor in; `queued`: until an earlier message is sent. */
  readonly state: "waiting" | "unsigned" | "queued" | "sending" | "failed";
  /** Why it failed. */
  readonly failure?: FailureName;
  /** It would fail again: its file is too large, empty, or no longer there. */
  readonly isFinal?: true;
}

export interface Thread {
  readonly topicId: string;
  /** Absent before the first message. */
  readonly conversation?: MessengerConversation;
  /** The oldest first. */
  readonly messages: readonly MessengerMessage[];
  readonly outgoing: readonly OutgoingMessage[];
  readonly isLoading: boolean;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  /** Agents who are writing. */
  readonly typing: readonly MessengerActor[];
  readonly draft: string;
  /** Id of the last message that the visitor had read when the thread was opened; for the mark of new messages. */
  readonly readBefore?: string;
}

/** What the person at this browser has chosen. */
export interface Preferences {
  /** Whether replies are announced by a sound. Absent: as the site says. */
  readonly sound?: boolean;
  /** The last first. */
  readonly recentEmojis?: readonly string[];
}

export interface PanelState {
  /**
   * `connecting`: the site's page has not sent its options, so nothing can be shown. `refused`: the service doesn't show the messenger on this page;
   * `failure` says why. `consent`: nothing is stored or sent before the visitor consents.
   */
  readonly phase: "connecting" | "loading" | "ready" | "consent" | "unreachable" | "refused";
  readonly failure?: FailureName;
  readonly options: PanelOptions;
  /** Whether the site shows the frame. */
  readonly isOpen: boolean;
  /** Whether the visitor has opened it: the panel then takes the focus. A page that opens it by itself keeps the focus. */
  readonly isFocused: boolean;
  readonly connection: "none" | "connecting" | "connected" | "lost";
  readonly configuration?: MessengerConfiguration;
  readonly visitor?: Visitor;
  /** Properties that the site gives, of the conversations that begin. */
  readonly conversationProperties?: Readonly<Record<string, string>>;
  readonly isBlocked: boolean;
  /** Whether the account waits for the page to sign the visitor in. With a `visitor`, the signed identity has ended in this page. */
  readonly isUnsigned: boolean;
  /** The newest first. */
  readonly conversations: readonly MessengerConversation[];
  readonly place: Place;
  readonly threads: ReadonlyMap<ThreadKey, Thread>;
  /** Sum over all conversations. */
  readonly unreadCount: number;
  readonly preferences: Preferences;
  /** Whether the browser keeps the session; otherwise it ends with the page. */
  readonly isKept: boolean;
}

export interface PanelActions {
  showHome(): void;
  /** Opens the latest conversation of a topic if it takes messages, or a new one. */
  openTopic(topicId: string): void;
  /** Begins a new conversation of a topic with its next message. */
  beginAnew(topicId: string): void;
  openConversation(conversationId: string): void;
  loadOlder(key: ThreadKey): void;
  /** Sends text, or parts of a response enabler as the answer to a message. */
  send(
    key: ThreadKey,
    message: {
      readonly text?: string;
      readonly parts?: readonly MessagePart[];
      readonly inReplyTo?: string;
      /** Of the button that the visitor pressed in the answered message. */
      readonly payload?: string;
    },
  ): void;
  /**
   * Uploads each file and sends it as a message of its own, as the answer to a message if one is named. A file that is too large becomes a failed
   * message that says so.
   */
  attach(key: ThreadKey, files: readonly File[], inReplyTo?: string): void;
  /** Ends an upload, or removes a failed message. */
  discard(key: ThreadKey, outgoingId: string): void;
  retry(key: ThreadKey, outgoingId: string): void;
  setDraft(key: ThreadKey, text: string): void;
  /** The visitor writes; called with each change. */
  typing(key: ThreadKey): void;
  /** The visitor sees a message. */
  read(key: ThreadKey, messageId: string): void;
  /** @errors rejects with a VisitorFailure */
  rate(conversationId: string, rating: NewCsat): Promise<void>;
  /** @errors as for rate */
  leaveEmail(email: string): Promise<void>;
  /** The visitor consents. */
  agree(): void;
  /** Tries again after `unreachable`. */
  retryStart(): void;
  /** Asks the site's page to close the frame. */
  requestClose(): void;
  /** Tells the site's page of a link or a file that the visitor opens. */
  followed(link: { readonly url: string; readonly fileName?: string }): void;
  setPreferences(changes: Preferences): void;
  /** Gives the button in the site's page its texts. */
  describeButton(texts: ButtonTexts): void;
  /** Tells the site's page that a rating is shown. */
  ratingShown(conversationId: string): void;
}

/** The panel's data and what can be done with it, without any display. The state is replaced as a whole by each change. */
export interface PanelModel {
  readonly state: () => PanelState;
  /** Calls the listener after each change. -> stops */
  readonly follow: (listener: () => void) => () => void;
  readonly actions: PanelActions;
}
