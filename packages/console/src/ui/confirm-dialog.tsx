import { useId, useRef, useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { errorText } from "./error-text.ts";
import { uiMessages } from "./messages.ts";
import { Problem } from "./problem.tsx";
import { TextField } from "./text-field.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** The effect, and whether it can be undone. */
  readonly text: string;
  /** Label of the button. */
  readonly action: string;
  /** A field for a text, such as a name, without which nothing can be confirmed. */
  readonly typed?: { readonly label: string; readonly isMatch: (text: string) => boolean };
  /** Buttons before the confirming button. */
  readonly buttons?: ReactNode;
  /** Its rejection is shown, and the dialog stays. */
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  /** More about the effect. */
  readonly children?: ReactNode;
}

/** Asks before something that can't be undone. */
export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { title, text, action, typed, buttons, run, onClose, children } = props;
  const id = useId();
  const [isRunning, setRunning] = useState(false);
  // Two events before the next rendering see the same state.
  const isConfirmed = useRef(false);
  const [entered, setEntered] = useState("");
  const [problem, setProblem] = useState<string>();
  const isMatch = typed?.isMatch(entered) !== false;
  const confirm = async (): Promise<void> => {
    if (isConfirmed.current || !isMatch) return;
    isConfirmed.current = true;
    setRunning(true);
    setProblem(undefined);
    try {
      await run();
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      isConfirmed.current = false;
      setRunning(false);
    }
  };
  return (
    <Dialog
      title={title}
      isOpen
      isAlert
      onClose={onClose}
      actions={
        <>
          <Button autoFocus={!typed} onPress={onClose}>
            {uiMessages.cancel}
          </Button>
          {buttons}
          <Button variant="danger" type="submit" form={id} isDisabled={isRunning || !isMatch}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      {children}
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        {typed && <TextField label={typed.label} autoComplete="off" autoFocus value={entered} onChange={setEntered} />}
        <Problem text={problem} />
      </form>
    </Dialog>
  );
};
