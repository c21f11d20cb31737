import type { InstallationDetails } from "@parley/contract";
import { TextField } from "../../ui/text-field.tsx";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { appsPageMessages as texts } from "./messages.ts";

interface UninstallDialogProps {
  readonly app: InstallationDetails;
  /** Its rejection is shown, and the dialog stays. */
  readonly uninstall: () => Promise<void>;
  readonly onClose: () => void;
}

/** Data that is removed with an app. It is confirmed by the app's name. */
export const UninstallDialog = ({ app: { name, title }, uninstall, onClose }: UninstallDialogProps) => {
  const form = useForm({
    initial: { name: "" },
    check: (values): { readonly name?: string } =>
      values.name.trim() === name ? {} : { name: texts.nameDiffers(name) },
    save: uninstall,
  });
  return (
    <FormDialog title={texts.uninstallTitle(title)} form={form} action={texts.uninstall} isDanger onClose={onClose}>
      <p>{texts.uninstallText}</p>
      <TextField
        label={texts.typeName(name)}
        value={form.values.name}
        onChange={(typed) => form.change({ name: typed })}
        error={form.problems.name}
        autoComplete="off"
        autoFocus
      />
    </FormDialog>
  );
};
