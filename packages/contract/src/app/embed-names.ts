/** Names in the messages between the console and an embedded page; apart from the schemas, so that scripts of pages stay small. */

/** Version of the messages. A page that receives another version refuses it. */
export const EMBED_VERSION = 1;
/** First message of the embedded page to its parent window; it contains nothing confidential. */
export const EMBED_HELLO = "parley:embed-hello";
/** The console's answer, with a message port for all further messages. */
export const EMBED_WELCOME = "parley:embed-welcome";

/** Paths of the embedded page. */
export const EMBED_PATH = "/embed";
/** Header by which an embedded page sends its session; it has no cookie, which browsers block in frames of other sites. */
export const PAGE_SESSION_HEADER = "x-page-session";

/** Elements of the composer that an app can name. */
export const COMPOSER_ELEMENTS = ["editor", "send", "note", "resolve", "assign"] as const;
export type ComposerElement = (typeof COMPOSER_ELEMENTS)[number];
export const ELEMENT_CHANGES = ["hide", "show", "enable", "disable"] as const;
export type ElementChange = (typeof ELEMENT_CHANGES)[number];
/** Where a text is put into the editor. `cursor`: in place of the selection; `all`: in place of the whole text. */
export const TEXT_POSITIONS = ["cursor", "start", "end", "all"] as const;
export type TextPosition = (typeof TEXT_POSITIONS)[number];
export const NOTICE_KINDS = ["info", "success", "warning", "alert", "danger", "error"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];
/** Actions of the agent that an app can intercept. */
export const INTERCEPTED_EVENTS = ["conversation.onSendMessage", "conversation.onResolveClick"] as const;
export type InterceptedEvent = (typeof INTERCEPTED_EVENTS)[number];
/** Maximum length of an editor's text, as the service limits messages. @units characters */
export const EDITOR_TEXT_MAX = 65_536;
