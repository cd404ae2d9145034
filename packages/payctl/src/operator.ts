import { hostname, userInfo } from 'node:os'
import { operatorCharactersMax } from '@payments/chassis/assertion/assertion'

/** The user of this machine, `user@host`: the operator in development. */
export function operatingSystemUser(): string {
  return `${userName()}@${hostname()}`.slice(0, operatorCharactersMax)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may have a number and no name.
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
