/** The columns that the agent wants to see beside the list, and the open columns. */
interface WantedColumns {
  readonly views: boolean;
  readonly details: boolean;
  readonly isConversationOpen: boolean;
}

/** Columns beside the list and the conversation. */
interface Columns {
  readonly views: boolean;
  /** Absent with space for it: the agent has closed it, or no conversation is open. */
  readonly details: boolean;
  /** The window has no space for the details beside a conversation: they are shown above it. */
  readonly areDetailsAbove: boolean;
}

/** The least widths that are usable, and those of the style sheets. @units rem */
export const COLUMN_WIDTHS = { views: 15.5, conversation: 28.5, details: 17 } as const;

/**
 * Which columns there is space for. The views give way to the details, since a menu has the views too.
 * @shape space: width beside the list @units rem
 */
export const columnsIn = (space: number, wanted: WantedColumns): Columns => {
  const { views, conversation, details } = COLUMN_WIDTHS;
  const areDetailsAbove = space < conversation + details;
  const hasDetails = wanted.details && wanted.isConversationOpen && !areDetailsAbove;
  const needed = conversation + (hasDetails ? details : 0) + views;
  return { views: wanted.views && space >= needed, details: hasDetails, areDetailsAbove };
};
