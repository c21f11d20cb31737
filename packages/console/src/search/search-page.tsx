/** Search over messages, customers and conversations. */
export const SearchPage = () => <p>…</p>;
