import { FrameRefusal, type AppInstanceFrame, type AppFrames } from "./instances.ts";
import { membersOf, textMember, type InstanceAct } from "./messages.ts";

/** @units pixels @assumed the limits */
const HEIGHT_MIN = 40;
const HEIGHT_MAX = 2_000;

const described = ({ id, spec: { location, parent } }: AppInstanceFrame) => ({
  instanceId: id,
  location,
  ...(parent ? { parentId: parent.id } : {}),
});

const heightIn = (options: unknown): number => {
  const height = Number.parseFloat(textMember(options, "height"));
  if (!Number.isFinite(height)) throw new FrameRefusal("resize: give the height in pixels, as { height: '500px' }.");
  return Math.min(Math.max(height, HEIGHT_MIN), HEIGHT_MAX);
};

type Act = (instance: AppInstanceFrame, options: unknown) => unknown;

/** Sets the height of a frame on this page. @units pixels */
export const resizeFrame = ({ frame }: AppInstanceFrame, height: number): void => {
  frame.style.height = `${height}px`;
  frame.style.flex = "none";
  frame.style.minHeight = "0";
};

/** Actions of a page for its instances. @units height: pixels */
interface InstancePage {
  readonly resize: (instance: AppInstanceFrame, height: number) => void;
}

/** Methods of `client.instance`, one row per method. @assumed a parent's message without a receiver is sent to all instances that it has opened */
const actsOf = (instances: AppFrames, { resize }: InstancePage): Readonly<Record<InstanceAct, Act>> => ({
  resize: (instance, options) => {
    const height = heightIn(options);
    resize(instance, height);
    return { height: `${height}px` };
  },
  close: ({ spec: { close, location } }) => {
    if (!close) throw new FrameRefusal(`close: ${location} is always open.`);
    // Deferred, so that the answer is sent before the frame's port closes.
    setTimeout(close);
    return {};
  },
  context: (instance) => ({
    ...described(instance),
    ...(instance.spec.data === undefined ? {} : { data: instance.spec.data, modalData: instance.spec.data }),
  }),
  get: (instance) =>
    instances
      .all()
      .filter((one) => one !== instance)
      .map(described),
  send: (sender, options) => {
    const { message, receiver } = membersOf(options);
    const family = instances.all().filter(({ spec }) => spec.parent === sender);
    const named: readonly unknown[] = receiver === undefined ? [] : [receiver].flat();
    const to =
      named.length > 0
        ? instances.all().filter(({ id }) => named.includes(id) && id !== sender.id)
        : [...(sender.spec.parent ? [sender.spec.parent] : []), ...family];
    if (to.length === 0) throw new FrameRefusal("send: no instance is there to receive it.", 404);
    for (const instance of to) instance.send({ t: "message", message, sender: sender.id });
    return {};
  },
});

export const createInstanceActions = (instances: AppFrames, page: InstancePage = { resize: resizeFrame }) => {
  const acts = actsOf(instances, page);
  return async (act: string, options: unknown, instance: AppInstanceFrame): Promise<unknown> => {
    if (!Object.hasOwn(acts, act)) throw new FrameRefusal(`client.instance.${act} is not known here.`, 404);
    return acts[act as InstanceAct](instance, options);
  };
};
