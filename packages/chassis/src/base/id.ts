import { v7 } from 'uuid'

/** A new UUID v7. Ids sort by creation time, so lists need no other order. */
export const newId = (): string => v7()

/** Ids that are created at `time` or later are not below it. */
export const firstIdAt = (time: Date): string => v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) })
