/** The list of all shortcuts. */
const ShortcutList = (_: { readonly onClose: () => void }) => <p>…</p>;
export default ShortcutList;
