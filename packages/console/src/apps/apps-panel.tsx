/** Apps of the sidebar, beside a conversation. */
export const AppsPanel = ({ conversationId }: { readonly conversationId: string }) => <p>{conversationId}</p>;
