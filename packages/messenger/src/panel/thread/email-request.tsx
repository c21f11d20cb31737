/** @jsxImportSource preact */
import { useId, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";

/** Asks for an e-mail address while the business is closed, unless the visitor has one. */
export const EmailRequest = ({ hasEmail }: { readonly hasEmail: boolean }) => {
  const { texts, actions, failureText } = useDisplay();
  const id = useId();
  const [address, setAddress] = useState("");
  const [saved, setSaved] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  if (saved !== undefined)
    return (
      <p class="card" role="status">
        {texts.emailSaved(saved)}
      </p>
    );
  if (hasEmail) return null;
  const save = async (): Promise<void> => {
    const wanted = address.trim();
    if (!/^[^\s@]+@[^\s@]+$/.test(wanted)) return setFailure(texts.emailInvalid);
    setSaving(true);
    try {
      await actions.leaveEmail(wanted);
      setSaved(wanted);
    } catch (error) {
      setFailure(failureText(error));
    }
    setSaving(false);
  };
  return (
    <form
      class="card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p>{texts.emailRequest}</p>
      <label for={id} class="visuallyHidden">
        {texts.email}
      </label>
      <div class="fieldRow">
        <input
          id={id}
          class="field"
          type="email"
          autoComplete="email"
          inputMode="email"
          placeholder={texts.email}
          value={address}
          maxLength={254}
          aria-invalid={failure !== undefined}
          aria-describedby={failure === undefined ? undefined : `${id}-failure`}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isSaving}>
          {texts.emailSave}
        </button>
      </div>
      {failure !== undefined && (
        <p id={`${id}-failure`} class="fieldFailure" role="alert">
          {failure}
        </p>
      )}
    </form>
  );
};
