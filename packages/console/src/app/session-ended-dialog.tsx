import { isProblemError } from "@parley/client/session";
import type { SignInResult } from "@parley/contract";
import { useState, type SyntheticEvent } from "react";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { errorText } from "../ui/error-text.ts";
import { TextField, useCheckedText } from "../ui/text-field.tsx";
import { sessionMessages as texts } from "./session-ended-messages.ts";
import {
  beginSession,
  client,
  currentPageAgent,
  isSessionEnded,
  leaveForSignIn,
  signInAddress,
} from "../session/session.ts";
import styles from "./session-ended-dialog.module.css";

const FORM = "session-ended";

interface StepProps {
  readonly onResult: (result: SignInResult) => Promise<void>;
  readonly setBusy: (isBusy: boolean) => void;
}

interface CodeStepProps extends StepProps {
  readonly challenge: string;
  readonly restart: (reason: string) => void;
}

/** The state of a step with one field: its problem, and how it is submitted. */
const useStep = (send: (value: string) => Promise<void>, missing: string, setBusy: StepProps["setBusy"]) => {
  const field = useCheckedText("", (value) => (value === "" ? missing : undefined));
  const [refusal, setRefusal] = useState<string>();
  const submit = async (form: HTMLFormElement): Promise<void> => {
    // The button that was pressed loses the focus while it is disabled.
    const focusField = (): void => form.querySelector<HTMLInputElement>("input:not([readonly])")?.focus();
    setRefusal(undefined);
    if (!field.submit()) return focusField();
    setBusy(true);
    await send(field.value)
      .catch((error: unknown) => {
        setRefusal(errorText(error));
        focusField();
      })
      .finally(() => setBusy(false));
  };
  return {
    value: field.value,
    error: field.error ?? refusal,
    onChange: (value: string): void => {
      setRefusal(undefined);
      field.setValue(value);
    },
    onSubmit: (event: SyntheticEvent<HTMLFormElement>): void => {
      event.preventDefault();
      void submit(event.currentTarget);
    },
  };
};

const PasswordStep = ({ problem, onResult, setBusy }: StepProps & { readonly problem: string | undefined }) => {
  const { account, email } = currentPageAgent() ?? { account: "", email: "" };
  const { value, error, onChange, onSubmit } = useStep(
    async (password) => onResult(await client.signIn.signInByPassword({ body: { account, email, password } })),
    texts.passwordMissing,
    setBusy,
  );
  return (
    <form id={FORM} className={styles.form} onSubmit={onSubmit} noValidate>
      <TextField label={texts.email} value={email} isReadOnly autoComplete="username" />
      <TextField
        label={texts.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        value={value}
        onChange={onChange}
        error={error ?? problem}
      />
    </form>
  );
};

const CodeStep = ({ challenge, restart, onResult, setBusy }: CodeStepProps) => {
  const send = async (code: string): Promise<void> => {
    try {
      await onResult(await client.signIn.signInBySecondFactor({ body: { challenge, code: code.trim() } }));
    } catch (error) {
      if (!isProblemError(error, "LINK_NOT_VALID")) throw error;
      restart(texts.startAgain);
    }
  };
  const { value, error, onChange, onSubmit } = useStep(send, texts.codeMissing, setBusy);
  return (
    <form id={FORM} className={styles.form} onSubmit={onSubmit} noValidate>
      <p>{texts.codeText}</p>
      <TextField
        label={texts.code}
        autoComplete="one-time-code"
        autoFocus
        value={value}
        onChange={onChange}
        error={error}
      />
    </form>
  );
};

const SignInAgain = () => {
  const [challenge, setChallenge] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const onResult = async ({ session_token, challenge: next }: SignInResult): Promise<void> => {
    setProblem(undefined);
    if (session_token === undefined) setChallenge(next);
    else await beginSession(session_token);
  };
  const restart = (reason: string): void => {
    setChallenge(undefined);
    setProblem(reason);
  };
  return (
    <Dialog
      title={texts.endedTitle}
      isOpen
      isAlert
      isRequired
      onClose={() => undefined}
      actions={
        <>
          <Button variant="quiet" onPress={leaveForSignIn}>
            {texts.leave}
          </Button>
          <Button variant="primary" type="submit" form={FORM} isDisabled={isBusy}>
            {texts.signIn}
          </Button>
        </>
      }
    >
      <p className={styles.text}>{texts.endedText}</p>
      {challenge === undefined ? (
        <PasswordStep {...{ problem, onResult, setBusy }} />
      ) : (
        <CodeStep key={challenge} {...{ challenge, restart, onResult, setBusy }} />
      )}
      <p className={styles.other}>
        {texts.otherWay}{" "}
        <a href={signInAddress()} target="_blank" rel="noreferrer">
          {texts.otherTab}
        </a>
        . {texts.otherTabAfter}
      </p>
    </Dialog>
  );
};

/** The dialog would take the keys of an agent who is writing: it waits for a pause of this length. @units milliseconds */
const TYPING_PAUSE_MS = 1_500;

/** -> whether nothing has been typed for a while, since the session ended */
const useTypingPause = (isEnded: boolean): boolean => {
  const [isPausing, setPausing] = useState(false);
  useEffect(() => {
    if (!isEnded) {
      setPausing(false);
      return undefined;
    }
    const pause = (): void => setPausing(true);
    let timer = setTimeout(pause, TYPING_PAUSE_MS);
    const onTyping = (): void => {
      clearTimeout(timer);
      timer = setTimeout(pause, TYPING_PAUSE_MS);
    };
    const events = ["keydown", "input", "compositionupdate"] as const;
    for (const event of events) addEventListener(event, onTyping, true);
    return () => {
      clearTimeout(timer);
      for (const event of events) removeEventListener(event, onTyping, true);
    };
  }, [isEnded]);
  return isPausing;
};

/** The sign-in above a page whose session has ended. The page, with its dialogs and everything that was typed, stays as it is. */
export const SessionEndedDialog = () => {
  const isEnded = useStore(isSessionEnded);
  const isPausing = useTypingPause(isEnded);
  return isEnded && isPausing ? <SignInAgain /> : undefined;
};
