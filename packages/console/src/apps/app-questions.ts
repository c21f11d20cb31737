import { createStore } from "../state/store.ts";

/** A question of an app that the agent answers in a dialog. */
interface AppQuestion {
  readonly title: string;
  readonly message: string;
  readonly saveLabel: string;
  readonly cancelLabel: string;
  readonly answer: (isConfirmed: boolean) => void;
}

/** The question that is shown. Apps wait for their turn. */
export const appQuestion = createStore<AppQuestion | undefined>(undefined);
const waiting: AppQuestion[] = [];

/** -> whether the agent confirmed */
export const askAgent = (question: Omit<AppQuestion, "answer">): Promise<boolean> =>
  new Promise((resolve) => {
    const answer = (isConfirmed: boolean): void => {
      appQuestion.set(waiting.shift());
      resolve(isConfirmed);
    };
    const asked = { ...question, answer };
    if (appQuestion.get()) waiting.push(asked);
    else appQuestion.set(asked);
  });
