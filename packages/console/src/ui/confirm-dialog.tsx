import { useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { errorText } from "./error-text.ts";
import field from "./field.module.css";
import { uiMessages } from "./messages.ts";

interface ConfirmDialogProps {
  readonly title: string;
  /** The effect, and whether it can be undone. */
  readonly text: string;
  /** Label of the button. */
  readonly action: string;
  /** Its rejection is shown, and the dialog stays. */
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that can't be undone. */
export const ConfirmDialog = ({ title, text, action, run, onClose }: ConfirmDialogProps) => {
  const [isRunning, setRunning] = useState(false);
  // Two events before the next rendering see the same state.
  const isConfirmed = useRef(false);
  const [problem, setProblem] = useState<string>();
  const confirm = async (): Promise<void> => {
    if (isConfirmed.current) return;
    isConfirmed.current = true;
    setRunning(true);
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
          <Button autoFocus onPress={onClose}>
            {uiMessages.cancel}
          </Button>
          <Button variant="danger" isDisabled={isRunning} onPress={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <p>{text}</p>
      {problem !== undefined && (
        <p role="alert" className={field.error}>
          {problem}
        </p>
      )}
    </Dialog>
  );
};
