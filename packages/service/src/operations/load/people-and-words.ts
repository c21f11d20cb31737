import type { User } from "@parley/contract";
import type { Ports } from "../../base/environment/ports.ts";
import { newUser } from "../../messaging/users/user.ts";

/** Repeatable pseudo-random numbers: the same seed gives the same sequence. Not for secrets. */
export interface SeededRandom {
  /** A number from 0 (included) to 1 (excluded). */
  (): number;
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** @errors Error for an empty list */
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32 with 32 bits of state. @shape seeds: integers that are combined to one seed */
export const createSeededRandom = (...seeds: readonly number[]): SeededRandom => {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e37_79b1) + 0x7f4a_7c15, 0x2545_f491);
  const next = () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Object.assign(next, {
    between: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error("the list is empty");
      return items[Math.floor(next() * items.length)] as T;
    },
  });
};

/** A fictitious phone number: 555-01xx is reserved for fiction. */
const phoneOf = (random: SeededRandom): string => `+1${random.between(200, 989)}55501${random.between(10, 99)}`;

/** A user created at a given time, with some of the optional fields. */
export const generatePerson = (random: SeededRandom, created: Date, ports: Ports): User => {
  const first_name = random.pick(FIRST_NAMES);
  const last_name = random.pick(LAST_NAMES);
  const number = random.between(1, 999_999);
  const fields = {
    ...(random() < 0.95 && { first_name }),
    ...(random() < 0.9 && { last_name }),
    ...(random() < 0.8 && { email: `${first_name}.${last_name}${number}@example.com`.toLowerCase() }),
    ...(random() < 0.6 && { phone: phoneOf(random) }),
    ...(random() < 0.5 && { reference_id: `customer-${number}` }),
    ...(random() < 0.3 && { properties: [{ name: "city", value: random.pick(["Berlin", "Lagos", "Lima", "Osaka"]) }] }),
  };
  return newUser(fields, { ...ports, now: () => created });
};

/** Names and texts of generated data. */
const FIRST_NAMES = [
  "Aaliyah",
  "Adam",
  "Aiko",
  "Alba",
  "Amara",
  "Amir",
  "Ana",
  "Anders",
  "Aoife",
  "Ben",
  "Bianca",
  "Bruno",
  "Carla",
  "Chen",
  "Clara",
  "Daniel",
  "Daria",
  "Diego",
  "Elif",
  "Emma",
  "Erik",
  "Fatima",
  "Felix",
  "Freya",
  "Gabriel",
  "Grace",
  "Hana",
  "Hugo",
  "Ines",
  "Isaac",
  "Ivy",
  "Jada",
  "Jonas",
  "Julia",
  "Kamal",
  "Kira",
  "Lara",
  "Leo",
  "Lin",
  "Lucas",
  "Maja",
  "Marco",
  "Mei",
  "Mia",
  "Nadia",
  "Nils",
  "Nora",
  "Oscar",
  "Paula",
  "Pedro",
  "Priya",
  "Quinn",
  "Rafael",
  "Rosa",
  "Samir",
  "Sara",
  "Tariq",
  "Tessa",
  "Uma",
  "Viktor",
  "Wanda",
  "Yusuf",
  "Zara",
  "Zoe",
] as const;
const LAST_NAMES = [
  "Abbott",
  "Adeyemi",
  "Almeida",
  "Andersen",
  "Bauer",
  "Becker",
  "Bianchi",
  "Castro",
  "Chen",
  "Costa",
  "Dahl",
  "Diaz",
  "Dubois",
  "Edwards",
  "Fischer",
  "Flores",
  "Garcia",
  "Gupta",
  "Haddad",
  "Hansen",
  "Hughes",
  "Ivanov",
  "Jensen",
  "Kaya",
  "Khan",
  "Kim",
  "Kowalski",
  "Larsen",
  "Lopez",
  "Martin",
  "Mendes",
  "Meyer",
  "Moreau",
  "Murphy",
  "Nakamura",
  "Nguyen",
  "Nowak",
  "Okafor",
  "Olsen",
  "Patel",
  "Petrov",
  "Quist",
  "Ramos",
  "Rossi",
  "Sato",
  "Schmidt",
  "Silva",
  "Singh",
  "Tanaka",
  "Torres",
  "Usman",
  "Varga",
  "Wagner",
  "Walker",
  "Weber",
  "Wong",
  "Young",
  "Zhang",
] as const;

/** `#` stands for an order number. */
export const QUESTIONS = [
  "Hi, where is my order #?",
  "My order # arrived with a part missing.",
  "Can I still change the address of order #?",
  "I was charged twice for order #, could you look into that?",
  "How long does delivery take at the moment?",
  "The lamp that I bought flickers. Is that covered?",
  "I'd like to return order #. What do I have to do?",
  "Do you have the oak table in a smaller size?",
  "The discount code doesn't work for me.",
  "Could you send me the invoice of order # again?",
] as const;
export const ADDITIONS = [
  "Thanks, I'll wait then.",
  "It was ordered about a week ago.",
  "That would be great, thank you!",
  "Hmm, the tracking page says something else.",
  "Yes, that's the right address.",
  "No, I haven't tried that yet. One moment.",
  "Any news?",
  "Perfect, that solved it.",
] as const;
export const REPLIES = [
  "Hello! Let me look that up for you.",
  "Thanks for waiting. Order # left our warehouse this morning.",
  "I'm sorry about that. I've ordered a replacement at no cost.",
  "Could you send me a photo of it, please?",
  "I've changed it. You'll get a confirmation by e-mail in a minute.",
  "The refund is on its way and takes three to five working days.",
  "You can hand it in at any parcel shop; the label is attached to the e-mail that we sent.",
  "Is there anything else that I can do for you?",
] as const;
