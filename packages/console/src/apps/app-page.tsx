/** A full page of an app. */
export const AppPage = () => <p>…</p>;
