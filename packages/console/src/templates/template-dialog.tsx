import type { ReplyTemplate } from "@parley/contract";
import { isProblemError } from "@parley/client/session";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FormDialog } from "../forms/form-dialog.tsx";
import { SchemaFields } from "../forms/schema-fields.tsx";
import { formProblemsOf, formValuesOf, recordOf } from "../forms/schema-form.ts";
import { useForm, type FormState } from "../forms/use-form.ts";
import { VALUES } from "../contract-values.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { errorText } from "../ui/error-text.ts";
import field from "../ui/field.module.css";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { templateMessages as texts } from "./messages.ts";
import { unknownPlaceholders } from "./placeholders.ts";
import { saveTemplate } from "./template-actions.ts";
import { mayChange, PLACEHOLDER_NAMES, templateForm, type TemplateValues } from "./template-form.ts";
import { TemplatePreview } from "./template-preview.tsx";
import styles from "./templates.module.css";

interface TemplateTextProps {
  readonly form: FormState<TemplateValues>;
  readonly isReadOnly: boolean;
}

/** The text, and buttons that insert placeholders where the caret is. */
const TemplateText = ({ form, isReadOnly }: TemplateTextProps) => {
  const { values, problems } = form;
  const text = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const unknown = unknownPlaceholders(values.text, VALUES.replyPlaceholders);
  const insert = (placeholder: string): void => {
    const added = `{{${placeholder}}}`;
    const { selectionStart = values.text.length, selectionEnd = values.text.length } = text.current ?? {};
    flushSync(() =>
      form.change({ text: values.text.slice(0, selectionStart) + added + values.text.slice(selectionEnd) }),
    );
    text.current?.focus();
    text.current?.setSelectionRange(selectionStart + added.length, selectionStart + added.length);
  };
  return (
    <div className={field.field}>
      <label className={field.label} htmlFor={id}>
        {texts.text}
      </label>
      <textarea
        ref={text}
        id={id}
        rows={7}
        className={field.input}
        value={values.text}
        readOnly={isReadOnly}
        aria-invalid={problems.text !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={({ currentTarget }) => form.change({ text: currentTarget.value })}
      />
      <span id={`${id}-problem`} className={field.error}>
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
  );
};

interface TemplateDialogProps {
  /** Undefined for a new template. */
  readonly template: ReplyTemplate | undefined;
  readonly onClose: () => void;
}

/** The fields of a template, with a preview. */
export const TemplateDialog = ({ template, onClose }: TemplateDialogProps) => {
  const queries = useQueryClient();
  const { agent } = useWorkspace();
  /** The service's last refusal of a shortcut. */
  const [taken, setTaken] = useState<string>();
  const isReadOnly = template !== undefined && !mayChange(template, agent);
  const isOwn = template === undefined || template.owner_id === agent.agent_id;
  const definition = templateForm(isReadOnly);
  const form = useForm<TemplateValues>({
    keptAt: `reply template ${template?.id ?? "new"}`,
    initial: formValuesOf(definition, template),
    check: (values) => formProblemsOf(definition, values),
    async save(values) {
      const body = recordOf(definition, values);
      try {
        await saveTemplate(queries, template?.id, body);
      } catch (error) {
        if (isProblemError(error, "SHORTCUT_TAKEN")) setTaken(errorText(error));
        throw error;
      }
      showToast(texts.saved(body.name));
      onClose();
    },
  });
  const isTaken = form.refusal !== undefined && form.refusal === taken;
  return (
    <FormDialog
      title={template ? (isReadOnly ? texts.viewTitle : texts.editTitle) : texts.newTitle}
      isWide
      isReadOnly={isReadOnly}
      form={isTaken ? { ...form, refusal: undefined } : form}
      onClose={onClose}
    >
      {isReadOnly && <p className={styles.muted}>{texts.notYours}</p>}
      <div className={styles.pair}>
        <SchemaFields
          form={definition}
          state={form}
          names={["name", "shortcut"]}
          widgets={{
            shortcut: ({ value, problem, onChange }) => (
              <TextField
                label={texts.shortcut}
                help={texts.shortcutHelp}
                value={value}
                onChange={(shortcut) => onChange(shortcut.toLowerCase().replace(/^\//, ""))}
                isReadOnly={isReadOnly}
                error={isTaken ? taken : problem}
              />
            ),
          }}
        />
      </div>
      <TemplateText form={form} isReadOnly={isReadOnly} />
      <TemplatePreview text={form.values.text} />
      <div>
        <Checkbox
          isSelected={form.values.is_shared}
          isDisabled={isReadOnly || (!isOwn && form.values.is_shared)}
          onChange={(is_shared) => form.change({ is_shared })}
        >
          {texts.share}
        </Checkbox>
        <p className={styles.muted}>{texts.shareHelp}</p>
      </div>
    </FormDialog>
  );
};
