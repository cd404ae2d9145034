import { v7 } from 'uuid'

/** A new UUID v7. Ids sort by creation time, so lists need no other order. */
export const newId = (): string => v7()

/** Ids that are created at `time` or later are not below it. */
export const firstIdAt = (time: Date): string => v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) })

const digitsOfId = 32

/** The first and the last id that begin with the text, in any case. Null for a text that begins no id. */
export function idsThatBeginWith(text: string): { readonly first: string; readonly last: string } | null {
  const digits = text.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return null
  return { first: dashed(digits.padEnd(digitsOfId, '0')), last: dashed(digits.padEnd(digitsOfId, 'f')) }
}

const dashed = (digits: string) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
