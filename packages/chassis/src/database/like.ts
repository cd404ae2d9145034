/** The text as part of a LIKE pattern, in which each character matches itself. Prisma does not escape `contains`. */
export const literalInLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
