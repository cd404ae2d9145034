import { v7 } from 'uuid'

/** A new UUID v7: ids sort by creation, so pages need no other order. */
export const newId = (): string => v7()
