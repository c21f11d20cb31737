/** Choices of this agent and this browser. */
export const PreferencesPage = () => <p>…</p>;
