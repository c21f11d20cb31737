import type { Properties, PropertyValue } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { resolveConversation } from "./actions.ts";
import styles from "./conversation.module.css";
import { conversationMessages as texts } from "./messages.ts";
import { PropertyInput, propertyProblem } from "./property-input.tsx";
import { requiredProperties, type RequiredProperties } from "./resolve.ts";

const RequiredForm = ({ item, fields, problem }: RequiredProperties) => {
  const queries = useQueryClient();
  const kept = useUnsavedState<Properties>(
    `resolve ${item.conversation_id}`,
    Object.fromEntries(fields.map(({ name }) => [name, item.properties[name] ?? ""])),
  );
  const { value: values } = kept;
  const [isSubmitted, setSubmitted] = useState(false);
  const [refusal, setRefusal] = useState(problem);
  const [isSaving, setSaving] = useState(false);
  const valueOf = (name: string): PropertyValue => values[name] ?? "";
  const close = (): void => {
    kept.forget();
    requiredProperties.set(undefined);
  };

  const problems = new Map(
    fields.map((field) => {
      const value = valueOf(field.name);
      return [field.name, value.length === 0 ? texts.requiredMissing : propertyProblem(field, value)];
    }),
  );
  const submit = async (): Promise<void> => {
    setSubmitted(true);
    if ([...problems.values()].some((each) => each !== undefined)) return;
    setSaving(true);
    try {
      await resolveConversation(queries, item, values);
      close();
    } catch (error) {
      setRefusal(errorText(error));
    } finally {
      setSaving(false);
    }
  };

  return (
    <Dialog
      title={texts.requiredTitle}
      isOpen
      isForm
      onClose={close}
      actions={
        <>
          <Button onPress={close}>{uiMessages.cancel}</Button>
          <Button variant="primary" icon="check" isDisabled={isSaving} onPress={() => void submit()}>
            {texts.resolve}
          </Button>
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
        <p>{texts.requiredText}</p>
        {fields.map((field, index) => (
          <PropertyInput
            key={field.id}
            field={field}
            value={valueOf(field.name)}
            autoFocus={index === 0}
            error={isSubmitted ? problems.get(field.name) : undefined}
            onChange={(value) => kept.change({ ...values, [field.name]: value })}
          />
        ))}
        {refusal !== undefined && (
          <p role="alert" className={styles.refusal}>
            {refusal}
          </p>
        )}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
};

/** Asks for required properties before a conversation is resolved. */
const ResolveDialog = () => {
  const asked = useStore(requiredProperties);
  return asked && <RequiredForm key={asked.item.conversation_id} {...asked} />;
};
export default ResolveDialog;
