import type { FrontPlace, PlaceKind } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";
import { FrameRefusal, type AppFrame, type AppFrames } from "./instances.ts";
import type { Notify } from "./notices.ts";

/** A placeholder with its content. */
interface Seat {
  readonly place: FrontPlace;
  readonly section: HTMLElement;
  /** Buttons that open the placeholder. */
  readonly buttons: readonly HTMLButtonElement[];
  instance?: AppFrame | undefined;
  shown: boolean;
}

interface AppPlaces {
  /** Opens a placeholder by `module.place` or by its name alone. */
  open(id: string): void;
  /** Called when another conversation or none is opened: reloads the frames beside the conversation. */
  turn(): void;
  /** Reloads all frames after a change of the app. */
  reload(): void;
  /** Shows the app only while it is installed. */
  allow(allowed: boolean): void;
}

interface PlacesDeps {
  readonly places: readonly FrontPlace[];
  readonly app: string;
  readonly instances: AppFrames;
  readonly notify: Notify;
  /** Called with the placeholder that was opened last, for the address and the switcher. */
  readonly opened: (place: FrontPlace | undefined) => void;
}

/** Kinds of which at most one placeholder is open at a time. */
const EXCLUSIVE_KINDS: ReadonlySet<PlaceKind> = new Set(["sidebar", "editor", "page", "panel"]);
const CONVERSATION_KINDS: ReadonlySet<PlaceKind> = new Set(["sidebar", "editor", "background"]);
const CLOSABLE: ReadonlySet<PlaceKind> = new Set(["editor", "page", "panel"]);

const slotOf = (kind: PlaceKind) => element<HTMLElement>(document, `[data-slot=${kind}]`);

/** The buttons that open a placeholder; none for kinds that open by themselves. */
const buttonsOf = (place: FrontPlace, press: () => void): HTMLButtonElement[] => {
  const bar = document.querySelector(`[data-buttons~=${place.kind}]`);
  if (!bar) return [];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "place";
  button.setAttribute("aria-expanded", "false");
  if (place.icon !== "") {
    const icon = document.createElement("img");
    icon.src = `/app/${place.icon}`;
    icon.alt = "";
    icon.width = icon.height = 20;
    button.append(icon);
  }
  const label = document.createElement("span");
  label.textContent = place.label;
  button.append(label);
  button.title = place.label;
  button.addEventListener("click", press);
  bar.append(button);
  return [button];
};

const sectionOf = ({ kind, label }: FrontPlace, close: () => void): HTMLElement => {
  const section = document.createElement("section");
  section.className = `seat ${kind}`;
  section.hidden = true;
  section.setAttribute("aria-label", label);
  if (CLOSABLE.has(kind)) {
    const bar = document.createElement("div");
    bar.className = "bar";
    const title = document.createElement("strong");
    title.textContent = label;
    const away = document.createElement("button");
    away.type = "button";
    away.className = "plain";
    away.textContent = "✕";
    away.setAttribute("aria-label", `Close ${label}`);
    away.addEventListener("click", close);
    bar.append(title, away);
    section.append(bar);
  }
  slotOf(kind).append(section);
  return section;
};

export const mountAppPlaces = ({ places, app, instances, notify, opened }: PlacesDeps): AppPlaces => {
  let allowed = false;

  const mount = (seat: Seat) => {
    const { id, kind, url, module, name } = seat.place;
    const close = CLOSABLE.has(kind) ? () => leave(seat, true) : undefined;
    try {
      const spec = { url, title: `${app}: ${seat.place.label}`, location: name, module, ...(close ? { close } : {}) };
      seat.instance = instances.mount(spec, seat.section);
    } catch (error) {
      if (!(error instanceof FrameRefusal)) throw error;
      notify("danger", id, error.message);
    }
  };
  const look = (seat: Seat) => {
    const visible = seat.shown && allowed;
    seat.section.hidden = !visible;
    for (const button of seat.buttons) {
      button.disabled = !allowed;
      button.setAttribute("aria-expanded", String(visible));
    }
    if (visible && !seat.instance) mount(seat);
    seat.instance?.activate(visible);
    document.body.classList.toggle(
      `has-${seat.place.kind}`,
      seats.some((one) => one.shown && one.place.kind === seat.place.kind) && allowed,
    );
  };
  const unload = (seat: Seat) => {
    seat.instance?.activate(false);
    seat.instance?.end();
    seat.instance = undefined;
  };
  const leave = (seat: Seat, focus = false) => {
    seat.shown = false;
    look(seat);
    opened(seats.find(({ shown, place }) => shown && place.kind !== "background")?.place);
    if (focus) seat.buttons[0]?.focus();
  };
  const enter = (seat: Seat) => {
    const { kind } = seat.place;
    for (const other of seats)
      if (other !== seat && other.shown && other.place.kind === kind && EXCLUSIVE_KINDS.has(kind)) leave(other);
    seat.shown = true;
    look(seat);
    opened(seat.place);
  };
  const press = (seat: Seat) => (seat.shown && CLOSABLE.has(seat.place.kind) ? leave(seat) : enter(seat));

  const seats: Seat[] = [];
  for (const place of places) {
    const seat: Seat = {
      place,
      section: sectionOf(place, () => leave(seat, true)),
      buttons: buttonsOf(place, () => press(seat)),
      shown: place.kind === "background",
    };
    seats.push(seat);
  }
  for (const seat of seats) look(seat);
  const first = seats.find(({ place }) => place.kind === "sidebar");
  if (first) first.shown = true;
  const tabs = document.querySelector<HTMLElement>("[data-buttons=sidebar]");
  if (tabs) tabs.hidden = seats.filter(({ place }) => place.kind === "sidebar").length < 2;
  for (const kind of ["sidebar", "editor"])
    document.body.classList.toggle(`no-${kind}`, !places.some((place) => place.kind === kind));
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || document.querySelector("dialog[open]")) return;
    const open = seats.find(({ section, shown }) => shown && section.contains(document.activeElement));
    if (open && CLOSABLE.has(open.place.kind)) leave(open, true);
  });

  return {
    open(id) {
      const seat = seats.find(({ place }) => place.id === id) ?? seats.find(({ place }) => place.name === id);
      if (!seat)
        return notify(
          "warning",
          "",
          `The app has no place '${id}'; it has ${places.map(({ name }) => name).join(", ")}.`,
        );
      if (seat.place.kind === "background") return opened(seat.place);
      enter(seat);
      // On a narrow page the section may be outside the view.
      seat.section.scrollIntoView({ block: "nearest" });
    },
    turn() {
      for (const seat of seats) {
        if (!CONVERSATION_KINDS.has(seat.place.kind)) continue;
        unload(seat);
        look(seat);
      }
    },
    reload() {
      for (const seat of seats) unload(seat);
      for (const seat of seats) look(seat);
    },
    allow(now) {
      if (allowed === now) return;
      allowed = now;
      if (!now) for (const seat of seats) unload(seat);
      for (const seat of seats) look(seat);
    },
  };
};
