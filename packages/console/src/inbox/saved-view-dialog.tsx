import type { SavedView } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/checkbox.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { uiMessages } from "../ui/messages.ts";
import { TextField, useCheckedText } from "../ui/text-field.tsx";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { searchOf } from "./inbox-view.ts";
import { inboxMessages as texts } from "./messages.ts";
import { changeView, createView } from "./saved-view-changes.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import styles from "./saved-view-dialog.module.css";

/** @units characters */
const NAME_LENGTH_MAX = 80;
const FORM = "saved-view";

interface SavedViewDialogProps {
  readonly address: InboxAddress;
  /** The view that is renamed. Absent: the present filter becomes a new view. */
  readonly view?: SavedView;
  readonly onClose: () => void;
}

/** Names a view, and chooses who sees it. */
const SavedViewDialog = ({ address, view, onClose }: SavedViewDialogProps) => {
  const queries = useQueryClient();
  const { agent } = useWorkspace();
  const kept = useUnsavedState(`view ${view?.id ?? "new"}`, view?.name ?? "");
  const name = useCheckedText(kept.value, (value) => (value.trim() === "" ? texts.nameMissing : undefined));
  const [isShared, setShared] = useState(view?.is_shared ?? false);
  const [isSaving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { filter, order } = address;

  const save = async (): Promise<void> => {
    const fields = { name: name.value.trim(), is_shared: isShared };
    if (view) return changeView(queries, view, fields);
    const created = await createView(queries, { ...fields, filter, order });
    address.show(searchOf(filter, order, created.id));
  };
  const cancel = (): void => {
    kept.forget();
    onClose();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!name.submit() || isSaving) return;
    setSaving(true);
    save().then(cancel, (error: unknown) => {
      setSaving(false);
      setRefusal(error instanceof Error ? error.message : String(error));
    });
  };

  return (
    <Dialog
      title={view ? texts.renameView : texts.saveView}
      isOpen
      isForm
      onClose={cancel}
      actions={
        <>
          <Button onPress={cancel}>{uiMessages.cancel}</Button>
          <Button variant="primary" type="submit" form={FORM} isPending={isSaving}>
            {uiMessages.save}
          </Button>
        </>
      }
    >
      <form id={FORM} className={styles.form} onSubmit={submit}>
        <TextField
          autoFocus
          label={texts.viewName}
          value={name.value}
          onChange={(value) => {
            name.setValue(value);
            kept.change(value);
          }}
          maxLength={NAME_LENGTH_MAX}
          error={name.error ?? refusal}
        />
        {(view === undefined || view.owner_id === agent.agent_id) && (
          <Switch isSelected={isShared} onChange={setShared}>
            {texts.shareWithAll}
          </Switch>
        )}
      </form>
    </Dialog>
  );
};
export default SavedViewDialog;
