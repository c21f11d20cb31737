/** The palette of commands: type to find a command, a conversation or a customer. */
const Palette = (_: { readonly onClose: () => void }) => <p>…</p>;
export default Palette;
