/** Longest address. RFC 5321, section 4.5.3.1.3. */
const ADDRESS_LENGTH_MAX = 254;
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;

/**
 * Whether a text is one plain e-mail address. Quoted local parts, comments and lists are not: in a header they could name other recipients.
 */
export const isMailAddress = (text: string): boolean => text.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(text);
