/** The views, the list of one view, and the conversation that is open. */
export const InboxPage = () => <p>…</p>;
