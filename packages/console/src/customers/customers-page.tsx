/** The directory of customers. */
export const CustomersPage = () => <p>…</p>;
