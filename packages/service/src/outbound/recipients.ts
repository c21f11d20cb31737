import { INVALID_VALUE, type NewOutboundMessage, refuse } from "@parley/contract";
import { isPhone } from "./phone.ts";

const check = (place: string, phone: string): string =>
  isPhone(phone)
    ? phone
    : refuse(INVALID_VALUE, `${place}.phone_number must be an existing kind of number in E.164, such as +12025550101`);

/**
 * Reads who sends to whom.
 * @errors INVALID_VALUE, naming the place
 * @assumed A number that is named twice is refused: one person would get the message twice.
 */
export const checkPhones = ({ from, to }: Pick<NewOutboundMessage, "from" | "to">): readonly string[] => {
  check("from", from.phone_number);
  const seen = new Map<string, number>();
  return to.map(({ phone_number }, index) => {
    const place = `to[${index}]`;
    const phone = check(place, phone_number);
    const first = seen.get(phone);
    if (first !== undefined) refuse(INVALID_VALUE, `${place}.phone_number repeats to[${first}].phone_number`);
    seen.set(phone, index);
    return phone;
  });
};
