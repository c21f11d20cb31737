import { IconButton } from "../ui/button.tsx";
import { showToast } from "../ui/toast-store.ts";
import { customerMessages as texts } from "./messages.ts";

const copy = async (value: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(value);
    showToast(texts.copied(value));
  } catch {
    showToast(texts.copyFailed, { tone: "error" });
  }
};

/** Copies a value. @shape field: its name */
export const CopyButton = ({ field, value }: { readonly field: string; readonly value: string }) => (
  <IconButton isSmall icon="copy" label={texts.copy(field)} onPress={() => void copy(value)} />
);
