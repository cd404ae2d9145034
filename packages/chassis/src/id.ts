import { v7 } from 'uuid'

/** A new UUID v7. Ids sort by creation time, so lists need no other order. */
export const newId = (): string => v7()
