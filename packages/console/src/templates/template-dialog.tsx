import type { ReplyTemplate } from "@parley/contract";
import { isProblemError } from "@parley/client/session";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { VALUES } from "../contract-values.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-text.ts";
import field from "../ui/field.module.css";
import { uiMessages } from "../ui/messages.ts";
import { RestoredNote } from "../ui/restored-note.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast-store.ts";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { templateMessages as texts } from "./messages.ts";
import { unknownPlaceholders } from "./placeholders.ts";
import { saveTemplate } from "./template-actions.ts";
import { TemplatePreview } from "./template-preview.tsx";
import {
  emptyTemplate,
  mayChange,
  PLACEHOLDER_NAMES,
  templateProblemsOf,
  templateValuesOf,
  type TemplateProblems,
} from "./template-values.ts";
import styles from "./templates.module.css";

interface TemplateDialogProps {
  /** Undefined for a new template. */
  readonly template: ReplyTemplate | undefined;
  readonly onClose: () => void;
}

/** The fields of a template, with a preview. */
export const TemplateDialog = ({ template, onClose }: TemplateDialogProps) => {
  const queries = useQueryClient();
  const { agent } = useWorkspace();
  const kept = useUnsavedState(
    `reply template ${template?.id ?? "new"}`,
    template ? templateValuesOf(template) : emptyTemplate,
  );
  const { value: values } = kept;
  const [isSubmitted, setSubmitted] = useState(false);
  const [refusals, setRefusals] = useState<TemplateProblems & { readonly form?: string }>({});
  const [isSaving, setSaving] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const textId = useId();
  const isReadOnly = template !== undefined && !mayChange(template, agent);
  const isOwn = template === undefined || template.owner_id === agent.agent_id;
  const problems: TemplateProblems = isSubmitted ? { ...refusals, ...templateProblemsOf(values) } : refusals;
  const unknown = unknownPlaceholders(values.text, VALUES.replyPlaceholders);

  const change = (next: Partial<typeof values>): void => {
    setRefusals({});
    kept.change({ ...values, ...next });
  };
  const cancel = (): void => {
    kept.forget();
    onClose();
  };
  const insert = (placeholder: string): void => {
    const added = `{{${placeholder}}}`;
    const { selectionStart = values.text.length, selectionEnd = values.text.length } = text.current ?? {};
    flushSync(() => change({ text: values.text.slice(0, selectionStart) + added + values.text.slice(selectionEnd) }));
    text.current?.focus();
    text.current?.setSelectionRange(selectionStart + added.length, selectionStart + added.length);
  };
  const submit = async (): Promise<void> => {
    setSubmitted(true);
    if (isSaving || Object.keys(templateProblemsOf(values)).length > 0) return;
    setSaving(true);
    try {
      await saveTemplate(queries, template?.id, values);
      kept.forget();
      showToast(texts.saved(values.name.trim()));
      onClose();
    } catch (error) {
      const message = errorText(error);
      setRefusals(isProblemError(error, "SHORTCUT_TAKEN") ? { shortcut: message } : { form: message });
    } finally {
      setSaving(false);
    }
  };

  return (
    <Dialog
      title={template ? (isReadOnly ? texts.viewTitle : texts.editTitle) : texts.newTitle}
      isOpen
      isWide
      isForm={!isReadOnly}
      onClose={cancel}
      actions={
        <>
          <Button onPress={cancel}>{isReadOnly ? uiMessages.close : uiMessages.cancel}</Button>
          {!isReadOnly && (
            <Button variant="primary" isDisabled={isSaving} onPress={() => void submit()}>
              {uiMessages.save}
            </Button>
          )}
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {isReadOnly && <p className={styles.muted}>{texts.notYours}</p>}
        {kept.isRestored && <RestoredNote onReset={kept.reset} />}
        <div className={styles.pair}>
          <TextField
            label={texts.name}
            value={values.name}
            onChange={(name) => change({ name })}
            isReadOnly={isReadOnly}
            error={problems.name}
            autoFocus
          />
          <TextField
            label={texts.shortcut}
            help={texts.shortcutHelp}
            value={values.shortcut}
            onChange={(shortcut) => change({ shortcut: shortcut.toLowerCase().replace(/^\//, "") })}
            isReadOnly={isReadOnly}
            error={problems.shortcut}
          />
        </div>
        <div className={field.field}>
          <label className={field.label} htmlFor={textId}>
            {texts.text}
          </label>
          <textarea
            ref={text}
            id={textId}
            rows={7}
            className={field.input}
            value={values.text}
            readOnly={isReadOnly}
            aria-invalid={problems.text !== undefined}
            aria-describedby={`${textId}-problem`}
            onChange={({ currentTarget }) => change({ text: currentTarget.value })}
          />
          <span id={`${textId}-problem`} className={field.error}>
            {problems.text ?? (unknown.length > 0 && texts.unknownPlaceholder(unknown.join(", ")))}
          </span>
          {!isReadOnly && (
            <div className={styles.placeholders} role="group" aria-label={texts.insert}>
              <span className={styles.muted}>{texts.insert}</span>
              {VALUES.replyPlaceholders.map((placeholder) => (
                <Button key={placeholder} isSmall onPress={() => insert(placeholder)}>
                  {PLACEHOLDER_NAMES[placeholder]}
                </Button>
              ))}
            </div>
          )}
        </div>
        <TemplatePreview text={values.text} />
        <div>
          <Checkbox
            isSelected={values.isShared}
            isDisabled={isReadOnly || (!isOwn && values.isShared)}
            onChange={(isShared) => change({ isShared })}
          >
            {texts.share}
          </Checkbox>
          <p className={styles.muted}>{texts.shareHelp}</p>
        </div>
        {refusals.form !== undefined && (
          <p role="alert" className={field.error}>
            {refusals.form}
          </p>
        )}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
};
