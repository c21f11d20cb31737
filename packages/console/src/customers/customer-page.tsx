/** A customer's profile, conversations and ratings. */
export const CustomerPage = () => <p>…</p>;
