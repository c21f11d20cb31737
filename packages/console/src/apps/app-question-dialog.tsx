import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { uiMessages } from "../ui/messages.ts";
import { appQuestion } from "./app-questions.ts";
import { appsMessages as texts } from "./messages.ts";

/** Shows the question of an app. */
export const AppQuestionDialog = () => {
  const question = useStore(appQuestion);
  if (!question) return null;
  const { title, message, saveLabel, cancelLabel, answer } = question;
  return (
    <Dialog
      title={title}
      isOpen
      isAlert
      onClose={() => answer(false)}
      actions={
        <>
          <Button onPress={() => answer(false)}>{cancelLabel || uiMessages.cancel}</Button>
          <Button variant="primary" onPress={() => answer(true)}>
            {saveLabel || texts.confirm}
          </Button>
        </>
      }
    >
      <p>{message}</p>
    </Dialog>
  );
};
