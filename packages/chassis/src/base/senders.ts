import { AsyncLocalStorage } from 'node:async_hooks'

/** The credential whose request the work belongs to: those of a tenant take turns for what they share. */
export const members = new AsyncLocalStorage<string>()
