/** Where agents manage reply templates. */
export const TemplatesPage = () => <p>…</p>;
