import type { ChildMessage, HostMessage, Question } from "@parley/contract";

type Reply = Extract<HostMessage, { t: "reply" }>;

/** Questions to the host and the promises that wait for their answers. */
export const questions = (send: (message: ChildMessage) => void, present: () => number | undefined) => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>();
  let last = 0;
  return {
    ask: (question: Question) =>
      new Promise<unknown>((resolve, reject) => {
        const id = (last += 1);
        const call = present();
        send({ t: "ask", id, ...(call === undefined ? {} : { call }), question });
        waiting.set(id, { resolve, reject });
      }),
    answer(reply: Reply) {
      const { resolve, reject } = waiting.get(reply.id) ?? {};
      waiting.delete(reply.id);
      if (!("failure" in reply)) return resolve?.(reply.value);
      const { message, ...members } = reply.failure;
      reject?.(Object.assign(new Error(message), members));
    },
  };
};
