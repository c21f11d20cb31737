/** What a visitor reads when something did not succeed, in English. Each says what happened and what to do next. */
export const ENGLISH_FAILURES = {
  refusedPage: "The messenger is not available on this page.",
  unreachable: "The messenger can't be reached. Check your connection and try again.",
  blocked: "You can't send messages here.",
  notLatest: "A newer conversation has begun. Write your message there.",
  responseRestricted: "This conversation takes no further messages. Begin a new one.",
  topicGone: "This topic is no longer available. Choose another topic.",
  conversationGone: "This conversation no longer exists. Begin a new one.",
  invalidMessage: "The message can't be sent in this form. Change it and send it again.",
  uploadQuota: "The limit for uploads has been reached for today. Try again tomorrow.",
  fileTooLarge: (limit: string) => `The file is larger than ${limit}. Choose a smaller file.`,
  fileEmpty: "The file is empty. Choose another file.",
  fileLost: "The page was left before the file was sent. Attach it again.",
  unknownOutcome: "It is not known whether this message arrived. Send it again if it is missing.",
  sessionEnded: "The conversation has ended in this browser. Write again to begin a new one.",
  unsigned: "This page has to sign you in before you can write. Sign in on this site and try again.",
  busy: "Too many requests. Try again in a minute.",
  notSent: "The message was not sent. Try again.",
  notDone: "That did not succeed. Try again.",
} as const;

/** Why something did not succeed: the model names it, and the display has the text in the visitor's language. */
export type FailureName = keyof typeof ENGLISH_FAILURES;
export type FailureTexts = {
  readonly [Name in FailureName]: (typeof ENGLISH_FAILURES)[Name] extends string
    ? string
    : (typeof ENGLISH_FAILURES)[Name];
};
